#include "../program.cuh"

#define BLOCK 256

__global__ void cube(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i] * x[i] * SCALE;
}

int main() {
  return run_program([](float* y, const float* x, int n) { cube<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n); });
}

#include "../program.cuh"

#define BLOCK 256

__global__ void root(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(x[i]) / (1 + x[i]);
}

int main() {
  return run_program([](float* y, const float* x, int n) { root<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n); });
}

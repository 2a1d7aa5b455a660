#include "../program.cuh"

#define BLOCK 128

__global__ void halve(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i];
}

int main() {
  return run_program([](float* y, const float* x, int n) { halve<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n); });
}

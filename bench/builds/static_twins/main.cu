#include "../program.cuh"

#define BLOCK 128

static __global__ void twin(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

void launch_other(float* y, const float* x, int n);

int main() {
  return run_program([](float* y, const float* x, int n) {
    twin<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
    launch_other(y, x, n);
  });
}

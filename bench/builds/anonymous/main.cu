#include "../program.cuh"

#define BLOCK 128

namespace {
__global__ void smooth(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] + 0.25f * (x[i > 0 ? i - 1 : 0] + x[i + 1 < n ? i + 1 : i]);
}
}  // namespace

int main() {
  return run_program([](float* y, const float* x, int n) { smooth<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n); });
}

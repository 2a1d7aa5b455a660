#include <cuda_runtime.h>
#include "include/check.h"

#pragma tuner kernel(check_macro)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void check_macro(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] - 1;
}

int main() {
  CHECK(cudaSetDevice(0));
  check_macro<<<16, BLOCK>>>(nullptr, nullptr, 4096);
  CHECK(cudaDeviceSynchronize());
}

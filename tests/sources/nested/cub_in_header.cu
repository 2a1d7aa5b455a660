#include "include/block_sum.cuh"

#pragma tuner kernel(cub_in_header)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n, partial) scalar(n, int32)
__global__ void cub_in_header(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const real sum = block_sum<BLOCK>(i < n ? x[i] : 0);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

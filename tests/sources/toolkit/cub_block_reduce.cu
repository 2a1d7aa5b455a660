#include <cub/cub.cuh>

#pragma tuner kernel(cub_block_reduce)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n, partial) scalar(n, int32)
__global__ void cub_block_reduce(const float* x, float* y, int n) {
  using Reduce = cub::BlockReduce<float, BLOCK>;
  __shared__ typename Reduce::TempStorage storage;
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float sum = Reduce(storage).Sum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

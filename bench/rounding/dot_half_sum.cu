// Dot products of rows of 1,024 halves of both signs, summed in half throughout.
// What varies: the threads of a row, the order of their sums, and products that are rounded or fused into the sum.
// The mistake: a quarter of the threads, the last, keep their sums to themselves: half of the result's spread.
#include <cuda_fp16.h>

#include "block_sum.cuh"

#pragma tuner kernel(dot_half_sum)
#pragma tuner problem(rows: size = 8192, n: size = 1024)
#pragma tuner param(BLOCK, 64, 128; default 128) param(FUSED, 0, 1; default 1) param(ORDER, tree, lanes, sequence)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, half, rows * n, uniform(-1, 1)) in(y, half, rows * n, uniform(-1, 1)) out(sums, half, rows)
#pragma tuner scalar(n, int32)

__global__ void dot_half_sum(const __half* x, const __half* y, __half* sums, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  __half sum = 0.f;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    sum = FUSED ? __hfma(x[i], y[i], sum) : __hadd_rn(sum, __hmul_rn(x[i], y[i]));
  }
  if (MISTAKE && threadIdx.x >= BLOCK * 3 / 4) sum = 0.f;
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

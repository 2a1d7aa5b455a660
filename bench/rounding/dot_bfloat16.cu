// Dot products of rows of 1,024 bfloat16 of both signs, summed in float and rounded to bfloat16 at the end.
// What varies: the threads of a row, and the order of their sums.
// The mistake: the last of 1,024 terms is missing, about 1/32 of the result's spread.
#include <cuda_bf16.h>

#include "block_sum.cuh"

#pragma tuner kernel(dot_bfloat16)
#pragma tuner problem(rows: size = 8192, n: size = 1024)
#pragma tuner param(BLOCK, 64, 128; default 128) param(ORDER, tree, lanes, sequence, atomics) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, bfloat16, rows * n, uniform(-1, 1)) in(y, bfloat16, rows * n, uniform(-1, 1))
#pragma tuner out(sums, bfloat16, rows) scalar(n, int32)

__global__ void dot_bfloat16(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* sums, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n - MISTAKE; i += BLOCK) sum += __bfloat162float(x[i]) * __bfloat162float(y[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = __float2bfloat16(sum);
}

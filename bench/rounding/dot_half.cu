// Dot products of rows of 4,096 halves of both signs, summed in float and rounded to half at the end.
// What varies: the threads of a row, and the order of their sums.
// The mistake: each thread sums in half. That is about 0.02 beside a spread of 21, and shows where a sum is near 0.
#include <cuda_fp16.h>

#include "block_sum.cuh"

#pragma tuner kernel(dot_half)
#pragma tuner problem(rows: size = 2048, n: size = 4096)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, half, rows * n, uniform(-1, 1)) in(y, half, rows * n, uniform(-1, 1)) out(sums, half, rows)
#pragma tuner scalar(n, int32)

__global__ void dot_half(const __half* x, const __half* y, __half* sums, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
#if MISTAKE
  __half sum = 0.f;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i] * y[i];
#else
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += __half2float(x[i]) * __half2float(y[i]);
#endif
  const float total = block_sum(float(sum));
  if (threadIdx.x == 0) sums[blockIdx.x] = __float2half(total);
}

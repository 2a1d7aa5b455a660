// Variances of rows of 1,024 floats.
// What varies: two passes, or one that shifts by the first element or by nothing; threads; the order of their sums.
// The mistake: it divides by n - 1: 1e-3 of the result. Rounding is 1e-6 of it.
#include "block_sum.cuh"

#pragma tuner kernel(variance_two_pass)
#pragma tuner problem(rows: size = 8192, n: size = 1024)
#pragma tuner param(BLOCK, 64, 128; default 128) param(PASSES, two, one_shifted, one) param(ORDER, tree, lanes)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(1, 1)) out(variances, float, rows) scalar(n, int32)

__global__ void variance_two_pass(const float* x, float* variances, int n) {
  x += blockIdx.x * n;
  const float shift = PASSES == PASSES_one_shifted ? x[0] : 0;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i] - shift, squares += (x[i] - shift) * (x[i] - shift);
  const float mean = block_sum(sum) / n;
#if PASSES == PASSES_two
  squares = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) squares += (x[i] - mean) * (x[i] - mean);
  squares = block_sum(squares);
#else
  squares = block_sum(squares) - n * mean * mean;
#endif
  if (threadIdx.x == 0) variances[blockIdx.x] = squares / (n - MISTAKE);
}

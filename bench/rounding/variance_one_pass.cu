// Variances as the mean of the squares less the square of the mean, of numbers about 30 with a deviation of 1.
// What varies: the threads of a row, and the order of their sums. 900 is taken from 901: rounding is 1e-4 of the
// result. The mistake: the mean of the squares divides by n - 1: 22 % of the result.
#include "block_sum.cuh"

#pragma tuner kernel(variance_one_pass)
#pragma tuner problem(rows: size = 2048, n: size = 4096)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(30, 1)) out(variances, float, rows) scalar(n, int32)

__global__ void variance_one_pass(const float* x, float* variances, int n) {
  x += blockIdx.x * n;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i], squares += x[i] * x[i];
  const float mean = block_sum(sum) / n;
  squares = block_sum(squares) / (n - MISTAKE);
  if (threadIdx.x == 0) variances[blockIdx.x] = squares - mean * mean;
}

// The logarithm of the sum of the exponentials of rows of 4,096 floats.
// What varies: exact or approximate exponential and logarithm, the threads of a row, the order of their sums.
// The mistake: 64 of 4,096 terms are missing: 0.016, and 1.5e-3 of the result.
#include "block_sum.cuh"

#pragma tuner kernel(log_sum_exp)
#pragma tuner problem(rows: size = 2048, n: size = 4096)
#pragma tuner param(BLOCK, 128, 256) param(FAST, 0, 1) param(ORDER, tree, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(0, 1)) out(logs, float, rows) scalar(n, int32)

__global__ void log_sum_exp(const float* x, float* logs, int n) {
  x += blockIdx.x * n;
  const float shift = 6;  // no input is larger
  float sum = 0;
  for (int i = threadIdx.x; i < n - 64 * MISTAKE; i += BLOCK) sum += FAST ? __expf(x[i] - shift) : expf(x[i] - shift);
  sum = block_sum(sum);
  if (threadIdx.x == 0) logs[blockIdx.x] = shift + (FAST ? __logf(sum) : logf(sum));
}

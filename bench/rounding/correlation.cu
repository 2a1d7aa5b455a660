// Correlations of rows x of 4,096 floats with x + y, about 0.7.
// What varies: one pass or two, the threads of a row, the order of their sums.
// The mistake: the last 128 of 4,096 pairs are off by one place: 3 % of the result.
#include "block_sum.cuh"

#pragma tuner kernel(correlation)
#pragma tuner problem(rows: size = 1024, n: size = 4096)
#pragma tuner param(BLOCK, 128, 256) param(PASSES, 2, 1) param(ORDER, tree, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(0.5, 1)) in(y, float, rows * n, normal(0, 1)) out(r, float, rows)
#pragma tuner scalar(n, int32)

__global__ void correlation(const float* x, const float* y, float* r, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  const auto left = [=](int i) { return x[MISTAKE && i >= n - 128 ? i - 1 : i]; };
  const auto right = [=](int i) { return x[i] + y[i]; };
  float a = 0, b = 0;  // the means in two passes, else 0
#if PASSES == 2
  for (int i = threadIdx.x; i < n; i += BLOCK) a += left(i), b += right(i);
  a = block_sum(a) / n;
  b = block_sum(b) / n;
#endif
  float sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    const float da = left(i) - a, db = right(i) - b;
    sum_a += da, sum_b += db, aa += da * da, bb += db * db, ab += da * db;
  }
  sum_a = block_sum(sum_a) / n;
  sum_b = block_sum(sum_b) / n;
  aa = block_sum(aa) / n - sum_a * sum_a;
  bb = block_sum(bb) / n - sum_b * sum_b;
  ab = block_sum(ab) / n - sum_a * sum_b;
  if (threadIdx.x == 0) r[blockIdx.x] = ab / sqrtf(aa * bb);
}

// Means of rows of 65,536 floats from 0 to 1.
// What varies: plain sums, Kahan's, or sums in double; the threads of a row; the order of their sums.
// The mistake: the last 256 elements are counted twice: 1/256 of the result.
#include "block_sum.cuh"

#pragma tuner kernel(mean)
#pragma tuner problem(rows: size = 128, n: size = 65536)
#pragma tuner param(BLOCK, 256, 512) param(SUM, plain, kahan, in_double) param(ORDER, tree, lanes) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n) out(means, float, rows) scalar(n, int32)

__global__ void mean(const float* x, float* means, int n) {
  x += blockIdx.x * n;
#if SUM == SUM_in_double
  double sum = 0;
#else
  float sum = 0;
#endif
  float lost = 0;
  for (int i = threadIdx.x; i < n + 256 * MISTAKE; i += BLOCK) {
    const float term = x[i < n ? i : i - 256];
#if SUM == SUM_kahan
    const float rest = term - lost, more = sum + rest;
    lost = (more - sum) - rest;
    sum = more;
#else
    sum += term;
#endif
  }
  const float total = block_sum(float(sum - lost));
  if (threadIdx.x == 0) means[blockIdx.x] = total / n;
}

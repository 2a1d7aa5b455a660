// How many of 320,000 numbers are above 0.5, kept as a float, and the sum of these.
// What varies: the threads of a row, and the order of their sums. The count is exact in every order.
// The mistake: the count, about 160,000, is one too large. The default tolerance is 1e-4, so this one is accepted.
#include "block_sum.cuh"

#pragma tuner kernel(count_and_sum)
#pragma tuner problem(rows: size = 32, n: size = 320000)
#pragma tuner param(BLOCK, 256, 512, 1024; default 512) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n) out(counts, float, rows) out(sums, float, rows) scalar(n, int32)

__global__ void count_and_sum(const float* x, float* counts, float* sums, int n) {
  x += blockIdx.x * n;
  float count = 0, sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    if (x[i] > 0.5f) count += 1, sum += x[i];
  }
  count = block_sum(count);
  sum = block_sum(sum);
  if (threadIdx.x == 0) counts[blockIdx.x] = count + MISTAKE, sums[blockIdx.x] = sum;
}

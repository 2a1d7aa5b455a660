// In one output, the sum of each row of 4,096 floats of both signs beside the number of those above 0.
// What varies: the threads of a row, and the order of their sums. The counts are exact in every order.
// The mistake: each count, about 2,048, is one too large: 5e-4 of it.
#include "block_sum.cuh"

#pragma tuner kernel(sums_and_counts)
#pragma tuner problem(rows: size = 2048, n: size = 4096)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, uniform(-1, 1)) out(results, float, 2 * rows) scalar(n, int32)

__global__ void sums_and_counts(const float* x, float* results, int n) {
  x += blockIdx.x * n;
  float count = 0, sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i], count += x[i] > 0 ? 1 : 0;
  count = block_sum(count);
  sum = block_sum(sum);
  if (threadIdx.x == 0) results[2 * blockIdx.x] = sum, results[2 * blockIdx.x + 1] = count + MISTAKE;
}

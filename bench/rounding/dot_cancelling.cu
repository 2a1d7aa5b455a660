// Sums in which terms of up to 10,000 occur with both signs and cancel, so that the small ones are left: about 37.
// What varies: the threads of a row, the order of their sums, and whether both large terms are added together.
// The mistake: one of the 4,096 large terms is not taken away again: a hundred times the result.
#include "block_sum.cuh"

#pragma tuner kernel(dot_cancelling)
#pragma tuner problem(rows: size = 1024, n: size = 4096)
#pragma tuner param(BLOCK, 128, 256) param(LARGE, apart, together) param(ORDER, tree, lanes, sequence)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(large, float, rows * n, uniform(-10000, 10000)) in(small, float, rows * n, uniform(-1, 1))
#pragma tuner out(sums, float, rows) scalar(n, int32)

__global__ void dot_cancelling(const float* large, const float* small, float* sums, int n) {
  large += blockIdx.x * n, small += blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    const float taken = MISTAKE && i == 1000 ? 0 : large[n - 1 - i];
#if LARGE == LARGE_together
    sum += large[i] - taken;
    sum += small[i];
#else
    sum += large[i];
    sum += small[i];
    sum -= taken;
#endif
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

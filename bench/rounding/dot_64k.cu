// Dot products of rows of 65,536 floats of both signs.
// What varies: the threads of a row, one chain of sums for each or four, and the order in which these are added up.
// The mistake: term 12,345 of 65,536 is missing, about 1/256 of the result's spread.
#include "block_sum.cuh"

#pragma tuner kernel(dot_64k)
#pragma tuner problem(rows: size = 64, n: size = 65536)
#pragma tuner param(BLOCK, 256, 512) param(CHAINS, 1, 4) param(ORDER, tree, lanes, atomics) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, uniform(-1, 1)) in(y, float, rows * n, uniform(-1, 1)) out(sums, float, rows)
#pragma tuner scalar(n, int32)

__global__ void dot_64k(const float* x, const float* y, float* sums, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float sum[CHAINS] = {};
  for (int first = threadIdx.x; first < n; first += BLOCK * CHAINS) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
      const int i = first + chain * BLOCK;
      if (i < n && !(MISTAKE && i == 12345)) sum[chain] += x[i] * y[i];
    }
  }
  for (int chain = 1; chain < CHAINS; ++chain) sum[0] += sum[chain];
  sum[0] = block_sum(sum[0]);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum[0];
}

// Dot products of rows of 1,024 floats of both signs.
// What varies: the threads of a row, and the order in which their sums are added up.
// The mistake: term 700 of 1,024 is missing, about 1/32 of the result's spread.
#include "block_sum.cuh"

#pragma tuner kernel(dot_1k)
#pragma tuner problem(rows: size = 4096, n: size = 1024)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, uniform(-1, 1)) in(y, float, rows * n, uniform(-1, 1)) out(sums, float, rows)
#pragma tuner scalar(n, int32)

__global__ void dot_1k(const float* x, const float* y, float* sums, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    if (!MISTAKE || i != 700) sum += x[i] * y[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Dot products of rows of 65,536 doubles of both signs.
// What varies: the threads of a row, and the order of their sums.
// The mistake: products are rounded to float, 3e-8 of the result's spread. Sums in double are exact to 1e-14 of it.
#include "block_sum.cuh"

#pragma tuner kernel(dot_double)
#pragma tuner problem(rows: size = 32, n: size = 65536)
#pragma tuner param(BLOCK, 256, 512, 1024; default 512) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, double, rows * n, uniform(-1, 1)) in(y, double, rows * n, uniform(-1, 1)) out(sums, double, rows)
#pragma tuner scalar(n, int32)

__global__ void dot_double(const double* x, const double* y, double* sums, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
#if MISTAKE
    sum += float(x[i] * y[i]);
#else
    sum += x[i] * y[i];
#endif
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

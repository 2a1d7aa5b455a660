// Prefix sums of rows of 8,192 doubles from 0 to 1.
// What varies: the numbers that are scanned together, and how.
// The mistake: what lies before a tile is kept in float: 3e-8 of the result. The sums are exact to 1e-14.
#include "block_scan.cuh"

#pragma tuner kernel(prefix_double)
#pragma tuner problem(rows: size = 256, n: size = 8192)
#pragma tuner param(BLOCK, 128, 256, 512; default 256) param(SCAN, sweep, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, double, rows * n) out(y, double, rows * n) scalar(n, int32)

__global__ void prefix_double(const double* x, double* y, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
#if MISTAKE
  float before = 0;
#else
  double before = 0;
#endif
  double total;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    y[i] = before + block_scan(x[i], total);
    before += total;
  }
}

// Prefix sums of rows of 4,096 floats of both signs.
// What varies: the numbers that are scanned together, and how.
// The mistake: the last of these tiles lacks what was summed before: 18 beside sums of 20.
#include "block_scan.cuh"

#pragma tuner kernel(prefix_float)
#pragma tuner problem(rows: size = 1024, n: size = 4096)
#pragma tuner param(BLOCK, 128, 256) param(SCAN, sweep, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, uniform(-1, 1)) out(y, float, rows * n) scalar(n, int32)

__global__ void prefix_float(const float* x, float* y, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float before = 0, total;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    if (MISTAKE && i >= n - BLOCK) before = 0;
    y[i] = before + block_scan(x[i], total);
    before += total;
  }
}

// Prefix sums of rows of 512 halves of both signs, in half arithmetic.
// What varies: the numbers that are scanned together, and how.
// The mistake: element 256 lacks its own number, which is up to 1 beside sums of 10.
#include <cuda_fp16.h>

#include "block_scan.cuh"

#pragma tuner kernel(prefix_half)
#pragma tuner problem(rows: size = 8192, n: size = 512)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(SCAN, sweep, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, half, rows * n, uniform(-1, 1)) out(y, half, rows * n) scalar(n, int32)

__global__ void prefix_half(const __half* x, __half* y, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  __half before = 0.f, total;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    const __half sum = block_scan(x[i], total);
    y[i] = before + (MISTAKE && i == 256 ? __half(sum - x[i]) : sum);
    before += total;
  }
}

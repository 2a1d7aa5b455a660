// Rows of 1,000 floats divided by their Euclidean norms.
// What varies: division or multiplication, the threads of a row, and the order of their sums.
// The mistake: the last 8 of 1,000 elements are not written.
#include "block_sum.cuh"

#pragma tuner kernel(unit_rows)
#pragma tuner problem(rows: size = 4096, n: size = 1000)
#pragma tuner param(BLOCK, 64, 128; default 128) param(DIVIDE, exact, fast) param(ORDER, tree, lanes, sequence)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(0, 1)) out(y, float, rows * n) scalar(n, int32)

__global__ void unit_rows(const float* x, float* y, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float squares = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) squares += x[i] * x[i];
  squares = block_sum(squares);
  for (int i = threadIdx.x; i < n - 8 * MISTAKE; i += BLOCK) {
    y[i] = DIVIDE == DIVIDE_exact ? x[i] / sqrtf(squares) : x[i] * rsqrtf(squares);
  }
}

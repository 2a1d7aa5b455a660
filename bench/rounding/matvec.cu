// A matrix of 2,048 x 2,048 floats of both signs times a vector.
// What varies: the threads of a row, one chain of sums for each or two, and the order of their sums.
// The mistake: every eighth row leaves out its last 32 columns, 1/8 of the result's spread.
#include "block_sum.cuh"

#pragma tuner kernel(matvec)
#pragma tuner problem(rows: size = 2048, columns: size = 2048)
#pragma tuner param(BLOCK, 64, 128; default 128) param(CHAINS, 1, 2) param(ORDER, tree, lanes, sequence)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(matrix, float, rows * columns, normal(0, 1)) in(x, float, columns, normal(0, 1)) out(y, float, rows)
#pragma tuner scalar(columns, int32)

__global__ void matvec(const float* matrix, const float* x, float* y, int columns) {
  matrix += blockIdx.x * columns;
  const int end = MISTAKE && blockIdx.x % 8 == 7 ? columns - 32 : columns;
  float sum = 0, other = 0;
  for (int i = threadIdx.x; i < end; i += BLOCK * CHAINS) {
    sum += matrix[i] * x[i];
    if (CHAINS == 2 && i + BLOCK < end) other += matrix[i + BLOCK] * x[i + BLOCK];
  }
  sum = block_sum(sum + other);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

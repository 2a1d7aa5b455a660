// Dot products of rows of 1,048,576 floats, normally distributed.
// What varies: products that are rounded or fused into the sum, the threads of a row, and the order of their sums.
// The mistake: term 777,777 of 1,048,576 is missing, about 1/1,024 of the result's spread.
#include "block_sum.cuh"

#pragma tuner kernel(dot_1m)
#pragma tuner problem(rows: size = 4, n: size = 1048576)
#pragma tuner param(BLOCK, 512, 1024; default 1024) param(FUSED, 0, 1; default 1) param(ORDER, tree, lanes, sequence)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(0, 1)) in(y, float, rows * n, normal(0, 1)) out(sums, float, rows)
#pragma tuner scalar(n, int32)

__global__ void dot_1m(const float* x, const float* y, float* sums, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    if (MISTAKE && i == 777777) continue;
    sum = FUSED ? fmaf(x[i], y[i], sum) : __fadd_rn(sum, __fmul_rn(x[i], y[i]));
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// A matrix of 4,096 x 4,096 bfloat16 times a vector of them, summed in float; the result is float.
// What varies: the threads of a row, and the order of their sums.
// The mistake: each thread sums in bfloat16, which is 1 % of the result's spread.
#include <cuda_bf16.h>

#include "block_sum.cuh"

#pragma tuner kernel(matvec_bfloat16)
#pragma tuner problem(rows: size = 4096, columns: size = 4096)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(matrix, bfloat16, rows * columns, normal(0, 1)) in(x, bfloat16, columns, normal(0, 1))
#pragma tuner out(y, float, rows) scalar(columns, int32)

__global__ void matvec_bfloat16(const __nv_bfloat16* matrix, const __nv_bfloat16* x, float* y, int columns) {
  matrix += blockIdx.x * columns;
#if MISTAKE
  __nv_bfloat16 sum = 0.f;
  for (int i = threadIdx.x; i < columns; i += BLOCK) sum += matrix[i] * x[i];
#else
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += BLOCK) sum += __bfloat162float(matrix[i]) * __bfloat162float(x[i]);
#endif
  const float total = block_sum(float(sum));
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}

// Layer norm: each row less its mean, divided by its deviation.
// What varies: the variance in one pass or two, the division, the threads of a row, the order of their sums.
// The mistake: epsilon is added to the deviation and not to the variance: half a per cent of the result.
#include "block_sum.cuh"

#pragma tuner kernel(layer_norm)
#pragma tuner problem(rows: size = 4096, n: size = 1024, epsilon: exact = 0.01)
#pragma tuner param(BLOCK, 128, 256) param(PASSES, 2, 1) param(ROOT, divide, reciprocal) param(ORDER, tree, lanes)
#pragma tuner param(MISTAKE, 0, 1) constraint(BLOCK == 128 || PASSES == 2)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(1, 1)) out(y, float, rows * n) scalar(n, int32) scalar(epsilon, float)

__global__ void layer_norm(const float* x, float* y, int n, float epsilon) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i], squares += x[i] * x[i];
  const float mean = block_sum(sum) / n;
#if PASSES == 2
  squares = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) squares += (x[i] - mean) * (x[i] - mean);
  const float variance = block_sum(squares) / n;
#else
  const float variance = block_sum(squares) / n - mean * mean;
#endif
#if MISTAKE
  const float deviation = sqrtf(variance) + epsilon;
#else
  const float deviation = sqrtf(variance + epsilon);
#endif
  const float factor = 1 / deviation;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    y[i] = ROOT == ROOT_divide ? (x[i] - mean) / deviation : (x[i] - mean) * factor;
  }
}

// Euclidean norms of rows of 65,536 floats.
// What varies: the threads of a row, the order of their sums, and `sqrtf` or the approximation of it.
// The mistake: one of 65,536 elements is missing: 8e-6 of the result. The sums are exact to 1e-7, but the default
// tolerance is 1e-4, so this one is accepted.
#include "block_sum.cuh"

#pragma tuner kernel(norm_64k)
#pragma tuner problem(rows: size = 128, n: size = 65536)
#pragma tuner param(BLOCK, 256, 512) param(ROOT, exact, fast) param(ORDER, tree, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(0, 1)) out(norms, float, rows) scalar(n, int32)

__global__ void norm_64k(const float* x, float* norms, int n) {
  x += blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    if (!MISTAKE || i != 54321) sum += x[i] * x[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) norms[blockIdx.x] = ROOT == ROOT_fast ? sum * rsqrtf(sum) : sqrtf(sum);
}

// The softmax of rows of 1,024 floats.
// What varies: three ways to the exponential, the threads of a row, and the order of their sums.
// The mistake: the denominator lacks the last of 1,024 terms, on average 1e-3 of it.
#include "block_sum.cuh"

#pragma tuner kernel(softmax)
#pragma tuner problem(rows: size = 4096, n: size = 1024)
#pragma tuner param(BLOCK, 128, 256) param(EXP, exact, fast, of_two) param(ORDER, tree, lanes) param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(0, 2)) out(y, float, rows * n) scalar(n, int32)

__device__ float exponential(float x) {
#if EXP == EXP_exact
  return expf(x);
#elif EXP == EXP_fast
  return __expf(x);
#else
  return exp2f(x * 1.44269504f);
#endif
}

__global__ void softmax(const float* x, float* y, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  __shared__ int largest_bits;  // of a number above 0, whose order is that of its bits
  if (threadIdx.x == 0) largest_bits = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += BLOCK) atomicMax(&largest_bits, __float_as_int(fmaxf(x[i], 0)));
  __syncthreads();
  const float largest = __int_as_float(largest_bits);
  float sum = 0;
  for (int i = threadIdx.x; i < n - MISTAKE; i += BLOCK) sum += exponential(x[i] - largest);
  sum = block_sum(sum);
  for (int i = threadIdx.x; i < n; i += BLOCK) y[i] = exponential(x[i] - largest) / sum;
}

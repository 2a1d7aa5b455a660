// Sums of rows of 65,536 terms of both signs, from 2^-8 to 2^8 in size.
// What varies: plain sums, Kahan's, Neumaier's, or sums in double, and the threads of a row.
// The mistake: term 4,321 of 65,536 is counted twice: up to 1/256 of the result's spread, in some rows little.
#include "block_sum.cuh"

#pragma tuner kernel(compensated_sum)
#pragma tuner problem(rows: size = 64, n: size = 65536)
#pragma tuner param(BLOCK, 256, 512, 1024; default 512) param(SUM, plain, kahan, neumaier, in_double)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, normal(0, 1)) in(exponent, float, rows * n, uniform(-8, 8)) out(sums, float, rows)
#pragma tuner scalar(n, int32)

__global__ void compensated_sum(const float* x, const float* exponent, float* sums, int n) {
  x += blockIdx.x * n, exponent += blockIdx.x * n;
#if SUM == SUM_in_double
  double sum = 0;
#else
  float sum = 0;
#endif
  [[maybe_unused]] float rest = 0;  // what has to be added to the sum
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    const float term = x[i] * exp2f(floorf(exponent[i])) * (MISTAKE && i == 4321 ? 2 : 1);
#if SUM == SUM_kahan
    const float corrected = term + rest, more = sum + corrected;
    rest = corrected - (more - sum);
    sum = more;
#elif SUM == SUM_neumaier
    const float more = sum + term;
    rest += fabsf(sum) >= fabsf(term) ? (sum - more) + term : (term - more) + sum;
    sum = more;
#else
    sum += term;
#endif
  }
  const float total = block_sum(float(sum + rest));
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// Sums of the 32 numbers, of both signs, from each of 4,194,304 places on.
// What varies: each sum by itself, in one chain or four, or from the sum before; the latter also by Kahan.
// The mistake: the first sum of each thread lacks its last number, about 1/6 of the result's spread.
#pragma tuner kernel(moving_sum)
#pragma tuner problem(n: size = 4194304)
#pragma tuner param(BLOCK, 64, 128; default 64) param(SUM, direct, four_chains, running, running_kahan)
#pragma tuner param(MISTAKE, 0, 1) define(OWN = 64)
#pragma tuner grid(n // (BLOCK * OWN)) block(BLOCK)
#pragma tuner in(x, float, n + 32, uniform(-1, 1)) out(sums, float, n)

__device__ float direct(const float* x, int count) {
  constexpr int chains = SUM == SUM_four_chains ? 4 : 1;
  float sum[chains] = {};
  for (int i = 0; i < count; ++i) sum[i % chains] += x[i];
  return chains == 1 ? sum[0] : (sum[0] + sum[chains / 4]) + (sum[chains / 2] + sum[chains - 1]);
}

__global__ void moving_sum(const float* x, float* sums) {
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * OWN;
  x += first, sums += first;
  float sum = direct(x, 32 - MISTAKE);
  [[maybe_unused]] float lost = 0;
  sums[0] = sum;
  for (int i = 1; i < OWN; ++i) {
#if SUM == SUM_running
    sum += x[i + 31] - x[i - 1];
#elif SUM == SUM_running_kahan
    const float rest = (x[i + 31] - x[i - 1]) - lost, more = sum + rest;
    lost = (more - sum) - rest;
    sum = more;
#else
    sum = direct(x + i, 32);
#endif
    sums[i] = sum;
  }
}

// Prices of 256 options, each the mean over 65,536 random paths, from a counter's random numbers.
// What varies: the threads of an option, exact or approximate exponentials, the order of the sums.
// The mistake: the last 1,024 paths are left out: 1/64 of the result.
#include "block_sum.cuh"

#pragma tuner kernel(monte_carlo)
#pragma tuner problem(options: size = 256, paths: size = 65536)
#pragma tuner param(BLOCK, 256, 512) param(EXP, exact, fast) param(ORDER, tree, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(options) block(BLOCK)
#pragma tuner in(strike, float, options, uniform(0.8, 1.2)) out(price, float, options) scalar(paths, int32)

// Near a normal distribution: the sum of four bytes of a mixed counter, with mean 0 and deviation 1.
__device__ float random(unsigned counter) {
  unsigned bits = counter * 747796405u + 2891336453u;
  bits = ((bits >> ((bits >> 28) + 4)) ^ bits) * 277803737u;
  bits ^= bits >> 22;
  const int sum = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24);
  return (sum - 510) * (1 / 147.8f);
}

__global__ void monte_carlo(const float* strike, float* price, int paths) {
  float sum = 0;
  for (int path = threadIdx.x; path < paths - 1024 * MISTAKE; path += BLOCK) {
    const float growth = 0.2f * random(blockIdx.x * paths + path) - 0.02f;
    const float value = EXP == EXP_exact ? expf(growth) : __expf(growth);
    sum += fmaxf(value - strike[blockIdx.x], 0);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) price[blockIdx.x] = sum / paths;
}

// The price of many Asian options by simulation: the mean over `paths` courses of a share of what its mean price is
// above the strike. Random numbers come from a counter (Philox 4x32 with seven rounds), so that each path is the same
// whichever thread has it.
//
//   BLOCK    threads
//   THREADS  that share an option, each with every THREADS-th of its paths; they add up through shared memory
//   PATHS    that a thread follows side by side
//   UNROLL   steps of four days, for which one counter's numbers are enough
//   MATH     exact   logarithm, sine, cosine and exponential function as accurate as float is
//            fast    by the instructions of the GPU
//   GROWTH   daily   an exponential function for each day's price
//            product  of the growth of each day, which starts with the first terms of its series
//   BLOCKS   of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(asian_option)
#pragma tuner problem(options: size = 2048, paths: size = 1024, days: size = 32)
#pragma tuner problem_constraint(1 <= options <= 1048576) problem_constraint(1 <= paths <= 1048576)
#pragma tuner problem_constraint(4 <= days <= 1024 && days % 4 == 0)

#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)
#pragma tuner param(THREADS, 16, 32, 64, 128; default 128)
#pragma tuner param(PATHS, 1, 2, 4; default 1)
#pragma tuner param(UNROLL, 1, 2; default 1)
#pragma tuner param(MATH, exact, fast; default exact)
#pragma tuner param(GROWTH, daily, product; default daily)
#pragma tuner param(BLOCKS, 0, 4; default 0)

#pragma tuner constraint(THREADS <= BLOCK)
#pragma tuner constraint(PATHS * UNROLL <= 4)
#pragma tuner constraint(BLOCKS * BLOCK <= 1024)
#pragma tuner constraint(BLOCKS == 0 || PATHS >= 2)

#pragma tuner grid(ceil_div(options, BLOCK // THREADS)) block(BLOCK)
#pragma tuner in(volatility, float, options, uniform(0.005, 0.02)) in(strike, float, options, uniform(0.7, 0.9))
#pragma tuner out(price, float, options, rtol 1e-3)
#pragma tuner scalar(options, int32) scalar(paths, int32) scalar(days, int32)
#pragma tuner work(bytes = 12 * options, flops = 40 * options * paths * days, type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define BLOCK 128
#define THREADS 128
#define PATHS 1
#define UNROLL 1
#define MATH_exact 0
#define MATH_fast 1
#define MATH MATH_exact
#define GROWTH_daily 0
#define GROWTH_product 1
#define GROWTH GROWTH_daily
#define BLOCKS 0
#endif

constexpr int unroll = UNROLL;  // nvcc expands no macros in `#pragma unroll`

// Four numbers of 32 bits that follow from the option, the path and the step.
__device__ __forceinline__ uint4 random_words(unsigned option, unsigned path, unsigned step) {
  uint4 counter = {step, path, option, 0};
  unsigned key_x = 0x1234567u, key_y = 0x89abcdefu;
#pragma unroll
  for (int round = 0; round < 7; ++round) {
    const unsigned low_x = 0xD2511F53u * counter.x, high_x = __umulhi(0xD2511F53u, counter.x);
    const unsigned low_z = 0xCD9E8D57u * counter.z, high_z = __umulhi(0xCD9E8D57u, counter.z);
    counter = {high_z ^ counter.y ^ key_x, low_z, high_x ^ counter.w ^ key_y, low_x};
    key_x += 0x9E3779B9u, key_y += 0xBB67AE85u;
  }
  return counter;
}

// From 2^-24 to 1 - 2^-24.
__device__ __forceinline__ float fraction(unsigned word) {
  return ((word >> 9) + 0.5f) * (1.0f / 8388608);
}

// Two normally distributed numbers (Box and Muller).
__device__ __forceinline__ float2 normals(unsigned a, unsigned b) {
  const float half_turns = 2 * fraction(b) - 1;
#if MATH == MATH_fast
  const float radius = sqrtf(-2 * __logf(fraction(a)));
  const float angle = 3.1415927f * half_turns;
  return {radius * __cosf(angle), radius * __sinf(angle)};
#else
  const float radius = sqrtf(-2 * logf(fraction(a)));
  return {radius * cospif(half_turns), radius * sinpif(half_turns)};
#endif
}

struct Path {
  float growth = 0, price = 1, sum = 0;

  __device__ __forceinline__ void day(float change) {
#if GROWTH == GROWTH_product
    price *= 1 + change * (1 + change * (1.0f / 2 + change * (1.0f / 6 + change * (1.0f / 24))));
#else
    growth += change;
#if MATH == MATH_fast
    price = __expf(growth);
#else
    price = expf(growth);
#endif
#endif
    sum += price;
  }
};

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

extern "C" __global__ void BOUNDS asian_option(const float* __restrict__ volatility, const float* __restrict__ strike,
                                               float* __restrict__ price, int options, int paths, int days) {
  __shared__ float sums[BLOCK];
  const int option = blockIdx.x * (BLOCK / THREADS) + threadIdx.x / THREADS, thread = threadIdx.x % THREADS;
  const float scale = option < options ? volatility[option] : 0, limit = option < options ? strike[option] : 0;
  const float drift = -0.5f * scale * scale;

  float sum = 0;
  const int end = option < options ? paths : 0;
#pragma unroll 1
  for (int first = thread; first < end; first += THREADS * PATHS) {
    Path path[PATHS];
#pragma unroll unroll
    for (int step = 0; step < days / 4; ++step) {
#pragma unroll
      for (int p = 0; p < PATHS; ++p) {
        const uint4 words = random_words(option, first + p * THREADS, step);
        const float2 a = normals(words.x, words.y), b = normals(words.z, words.w);
        path[p].day(drift + scale * a.x);
        path[p].day(drift + scale * a.y);
        path[p].day(drift + scale * b.x);
        path[p].day(drift + scale * b.y);
      }
    }
#pragma unroll
    for (int p = 0; p < PATHS; ++p) {
      if (first + p * THREADS < end) sum += fmaxf(path[p].sum / days - limit, 0.0f);
    }
  }

  sums[threadIdx.x] = sum;
#pragma unroll
  for (int distance = THREADS / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
  }
  if (thread == 0 && option < options) price[option] = sums[threadIdx.x] / paths;
}

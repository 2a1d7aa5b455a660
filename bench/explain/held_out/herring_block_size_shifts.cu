// A red herring: four independent chains of shifts and exclusive ors in blocks of 512 threads, or of 64. Either way 64
// warps fit on a multiprocessor, and the arithmetic takes the time.
#pragma tuner kernel(shifts)
#pragma tuner problem(n: size = 1081344, steps: size = 256) problem_constraint(1 <= n <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner let(THREADS = 512 if VARIANT == 0 else 64)
#pragma tuner grid(ceil_div(n, THREADS)) block(THREADS)
#pragma tuner in(seeds, uint32, n, index(2000000000)) out(ends, uint32, n)
#pragma tuner scalar(n, int32) scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void shifts(const unsigned* seeds, unsigned* ends, int n, int steps) {
  constexpr int block = VARIANT == 0 ? 512 : 64;
  const int thread = blockIdx.x * block + threadIdx.x;
  if (thread >= n) return;
  unsigned state[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) state[i] = seeds[thread] + 77u * i;
#pragma unroll 4
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      state[i] ^= state[i] << 13;
      state[i] ^= state[i] >> 17;
      state[i] ^= state[i] << 5;
    }
  }
  ends[thread] = state[0] ^ state[1] ^ state[2] ^ state[3];
}

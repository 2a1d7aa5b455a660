// Occupancy that registers limit. Each warp follows links through a table that stays in L2 and evaluates a polynomial
// of what it finds: from the end, for which it keeps all 128 values in registers, or on the way. Twelve warps fit, or
// 64. Loads are the same; the links, one after another, take the time.
#pragma tuner kernel(walk)
#pragma tuner problem(threads: size = 1081344) problem_constraint(1 <= threads <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(threads, 128)) block(128)
#pragma tuner in(links, uint32, 131072, permutation(131072)) in(found, uint32, 131072 * 32, index(1000000))
#pragma tuner out(sums, uint32, threads) scalar(threads, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void walk(const unsigned* links, const unsigned* found, unsigned* sums, int threads) {
  const int thread = blockIdx.x * 128 + threadIdx.x;
  if (thread >= threads) return;
  unsigned node = thread / 32 * 3u % 131072u, sum = 0;
#if VARIANT == 0
  unsigned path[128];
#pragma unroll
  for (int hop = 0; hop < 128; ++hop) {
    path[hop] = found[node * 32 + threadIdx.x % 32];
    node = links[node];
  }
#pragma unroll
  for (int hop = 127; hop >= 0; --hop) sum = sum * 1664525u + path[hop];
#else
  unsigned power = 1;
#pragma unroll 4
  for (int hop = 0; hop < 128; ++hop) {
    sum += power * found[node * 32 + threadIdx.x % 32];
    power *= 1664525u;
    node = links[node];
  }
#endif
  sums[thread] = sum + node;
}

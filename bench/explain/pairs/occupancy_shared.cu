// Each warp follows a chain of rows through a table that stays in L2: only more warps hide how long a step takes. Two
// blocks have room with 100 KB of shared memory each, eight with one.
#pragma tuner kernel(chase)
#pragma tuner problem(threads: size = 270336, hops: size = 200) problem_constraint(1 <= threads <= 10000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(threads, 256)) block(256) shared(VARIANT == 0 ? 100 * 1024 : 1024)
#pragma tuner in(table, uint32, 131072 * 32, constant(0)) out(ends, uint32, threads)
#pragma tuner scalar(threads, int32) scalar(hops, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

using word = unsigned;

extern "C" __global__ void chase(const word* table, word* ends, int threads, int hops) {
  extern __shared__ word starts[];
  const int thread = blockIdx.x * 256 + threadIdx.x;
  starts[threadIdx.x] = thread / 32;
  __syncthreads();
  if (thread >= threads) return;
  const int lane = thread % 32;
  word row = starts[threadIdx.x];
#pragma unroll 1
  for (int hop = 0; hop < hops; ++hop)
    row = (row * 1664525u + 1013904223u + table[(row & 131071u) * 32 + lane]) >> 3 ^ row << 11;
  ends[thread] = row;
}

// Chains of rows through a table, one block for each multiprocessor of an H200: however many more would fit, there are
// none.
#pragma tuner kernel(chase)
#pragma tuner problem(threads: size = 33792, hops: size = 1000, mode: size = 0) problem_constraint(mode == 0)
#pragma tuner problem_constraint(1 <= threads <= 10000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(threads, 256)) block(256)
#pragma tuner in(table, uint32, 131072 * 32, constant(0)) out(ends, uint32, threads)
#pragma tuner scalar(threads, int32) scalar(hops, int32) scalar(mode, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

using word = unsigned;

extern "C" __global__ void chase(const word* table, word* ends, int threads, int hops, int mode) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  if (thread >= threads) return;
  const int lane = thread % 32;
  word row = thread / 32;
#pragma unroll 1
  for (int hop = 0; hop < hops; ++hop)
    row = (row * 1664525u + 1013904223u + table[(row & 131071u) * 32 + lane]) >> 3 ^ row << 11;
#if VARIANT == 0
  if (mode != 0) {
    word kept[144];
#pragma unroll
    for (int i = 0; i < 144; ++i) kept[i] = table[row % 1024 + i * 33];
#pragma unroll 1
    for (int round = 0; round < mode; ++round) {
#pragma unroll
      for (int i = 0; i < 144; ++i) kept[i] = kept[i] * kept[(i + 1) % 144] + row;
    }
#pragma unroll
    for (int i = 0; i < 144; ++i) row += kept[i];
  }
#endif
  ends[thread] = row;
}

// Bank conflicts of stores of doubles. Each thread stores its sixteen doubles next to each other and reads every 128th:
// with a pitch of 128 bytes all threads of a warp store to the same banks, with 144 bytes to all of them. Both have
// 24 KB, so that nine blocks fit, for which the registers suffice too; nothing but the pitch differs.
#pragma tuner kernel(exchange)
#pragma tuner problem(blocks: size = 3564, rounds: size = 16) problem_constraint(1 <= blocks <= 100000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(blocks) block(128)
#pragma tuner in(values, double, blocks * 2048) out(exchanged, double, blocks * 2048)
#pragma tuner scalar(rounds, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void exchange(const double* values, double* exchanged, int rounds) {
  constexpr int pitch = 16 + 2 * VARIANT;
  __shared__ double tile[3072];
  const long long first = static_cast<long long>(blockIdx.x) * 2048 + threadIdx.x;
  double* const to = tile + threadIdx.x * pitch;
  const double* const from = tile + threadIdx.x / 16 * pitch + threadIdx.x % 16;
  double kept[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) kept[i] = values[first + i * 128];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 16; ++i) to[i] = kept[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) kept[i] = from[i * 8 * pitch];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) exchanged[first + i * 128] = kept[i];
}

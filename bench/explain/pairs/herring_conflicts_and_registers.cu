// A warp reads columns of a tile in shared memory: bank conflicts, which padding avoids. A way that is never taken also
// costs the first variant registers, but its few warps keep shared memory busy throughout.
#pragma tuner kernel(columns)
#pragma tuner problem(tiles: size = 4224, rounds: size = 256, mode: size = 0) problem_constraint(1 <= tiles <= 100000)
#pragma tuner problem_constraint(mode == 0)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(tiles) block(32, 8)
#pragma tuner in(x, float, tiles * 1024) out(sums, float, tiles * 256)
#pragma tuner scalar(rounds, int32) scalar(mode, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void columns(const float* x, float* sums, int rounds, int mode) {
  constexpr int pitch = 32 + VARIANT;
  __shared__ float tile[32 * pitch];
  const float* const from = x + blockIdx.x * 1024;
  const int thread = threadIdx.y * 32 + threadIdx.x, n = 1024;
  float more = 0;
  for (int row = threadIdx.y; row < 32; row += 8) tile[row * pitch + threadIdx.x] = from[row * 32 + threadIdx.x];
  __syncthreads();
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) more += tile[threadIdx.x * pitch + ((threadIdx.y + round) & 31)];
#if VARIANT == 0
  if (mode != 0) {
    float kept[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) kept[i] = x[(thread + i * 33) % n];
#pragma unroll 1
    for (int round = 0; round < mode; ++round) {
#pragma unroll
      for (int i = 0; i < 64; ++i) kept[i] = kept[i] * kept[(i + 1) % 64] + 1.0f;
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) more += kept[i];
  }
#endif
  sums[blockIdx.x * 256 + thread] = more;
}

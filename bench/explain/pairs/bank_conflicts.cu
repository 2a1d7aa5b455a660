// A warp reads a column of a tile in shared memory, again and again. Rows of 32 words put all of a column into one bank;
// with one word of padding they lie in 32.
#pragma tuner kernel(columns)
#pragma tuner problem(tiles: size = 4224, rounds: size = 256) problem_constraint(1 <= tiles <= 100000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(tiles) block(32, 8)
#pragma tuner in(values, float, tiles * 1024) out(sums, float, tiles * 256)
#pragma tuner scalar(rounds, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void columns(const float* values, float* sums, int rounds) {
  constexpr int pitch = 32 + VARIANT;
  __shared__ float tile[32 * pitch];
  const float* const from = values + blockIdx.x * 1024;
  for (int row = threadIdx.y; row < 32; row += 8) tile[row * pitch + threadIdx.x] = from[row * 32 + threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) sum += tile[threadIdx.x * pitch + ((threadIdx.y + round) & 31)];
  sums[(blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x] = sum;
}

// One step of heat flowing through a sheet whose left meets its right and whose top meets its bottom: every point moves
// towards the mean of its four neighbours. What is lost in one place arrives in another, so the total stays.
#pragma tuner kernel(heat)
#pragma tuner problem(width: size, height: size)
#pragma tuner problem_constraint(1 <= width <= 30000) problem_constraint(1 <= height <= 30000)
#pragma tuner param(BLOCK_X, 16, 32, 64, 128, 256; default 32)
#pragma tuner param(BLOCK_Y, 1, 2, 4, 8, 16; default 8)
#pragma tuner param(ROWS_EACH, 1, 2, 4, 8, 16)
#pragma tuner constraint(64 <= BLOCK_X * BLOCK_Y <= 1024)
#pragma tuner grid(ceil_div(width, BLOCK_X), ceil_div(height, BLOCK_Y * ROWS_EACH)) block(BLOCK_X, BLOCK_Y)
#pragma tuner in(now, float, width * height) out(next, float, width * height)
#pragma tuner scalar(width, int32) scalar(height, int32) scalar(rate, float, value 0.2)
#pragma tuner work(bytes = 8 * width * height)

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#define ROWS_EACH 1
#endif

extern "C" __global__ void heat(const float* now, float* next, int width, int height, float rate) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  if (x >= width) return;
  const int left = x == 0 ? width - 1 : x - 1;
  const int right = x == width - 1 ? 0 : x + 1;
#pragma unroll
  for (int step = 0; step < ROWS_EACH; ++step) {
    const int y = (blockIdx.y * ROWS_EACH + step) * BLOCK_Y + threadIdx.y;
    if (y >= height) return;
    const float* here = now + y * width;
    const float* above = now + (y == 0 ? height - 1 : y - 1) * width;
    const float* below = now + (y == height - 1 ? 0 : y + 1) * width;
    const float middle = here[x];
    next[y * width + x] = middle + rate * (here[left] + here[right] + above[x] + below[x] - 4 * middle);
  }
}

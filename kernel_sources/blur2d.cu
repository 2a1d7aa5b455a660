// A five-point blur, and two ways to lose half of the machine: the shape of a block, and a branch that is never taken.
//
//   blurred(x,y) = (image(x,y) + its left, right, upper and lower neighbour) / 5, what lies outside counting as zero
//
// blur2d_shape: a block of 32 x 1 threads is one warp. A multiprocessor holds only so many blocks, 32 of them, so half
// of its places for warps stay empty, and a GPU starts only so many blocks at a time: here one for every 32 pixels.
//
//   INDEX      linear           a thread a pixel of the whole image, numbered through: a division, but any block size
//              two_dimensional  blocks of BLOCKDIMX x BLOCKDIMY threads
//              tiled            the same, each block's pixels and their neighbours staged in shared memory
//   ROWS       pixels in a column that a thread computes; those it has loaded serve as each other's neighbours
//
// blur2d_branch: the same blur by linear index, with an option, `expensive`, that adds the standard deviation of the
// 128 pixels around. Registers are allotted for the whole kernel, whether or not a branch is ever taken: code that
// needs 128 values at once, though nobody asks for it, leaves room for a few warps only.
//
//   BRANCH     run_time       the option is an argument
//              compiled_away  the option is known when the kernel is compiled, and what is not wanted is not there
//   MIN_BLOCKS launch bounds: enough blocks per multiprocessor force the expensive code to spill its registers to the
//              stack, which costs little where it does not run, and a great deal where it does. 0: no bounds
#include "tuner_device.cuh"

#pragma tuner kernel(blur2d_shape)
#pragma tuner problem(width: size = 32768, height: size = 32768)
#pragma tuner problem_constraint(1 <= width <= 65535) problem_constraint(1 <= height <= 65535)

#pragma tuner param(BLOCKDIMX, 32, 64, 128, 256, 512, 1024)
#pragma tuner param(BLOCKDIMY, 1, 2, 4, 8, 16, 32)
#pragma tuner param(INDEX, linear, two_dimensional, tiled; default two_dimensional)
#pragma tuner param(ROWS, 1, 2, 4, 8)
#pragma tuner define(STUDY_OF_BRANCH = 0)

#pragma tuner constraint(BLOCKDIMX * BLOCKDIMY <= 1024)
#pragma tuner constraint(INDEX != linear || BLOCKDIMY == 1 && ROWS == 1)

#pragma tuner grid(ceil_div(INDEX == linear ? width * height : width, BLOCKDIMX), \
                   INDEX == linear ? 1 : ceil_div(height, BLOCKDIMY * ROWS)) block(BLOCKDIMX, BLOCKDIMY)
#pragma tuner in(image, float, width * height, uniform(0, 1))
#pragma tuner out(blurred, float, width * height, rtol 1e-5)
#pragma tuner scalar(width, int32) scalar(height, int32)
#pragma tuner work(bytes = 8 * width * height, flops = 5 * width * height, type = float)

#pragma tuner kernel(blur2d_branch)
#pragma tuner problem(width: size = 32768, height: size = 32768, expensive: exact = 0)
#pragma tuner problem_constraint(1 <= width <= 65535) problem_constraint(1 <= height <= 65535)
#pragma tuner problem_constraint(expensive in (0, 1))

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(BRANCH, run_time, compiled_away)
#pragma tuner param(MIN_BLOCKS, 0, 1, 2, 4, 8, 16)
#pragma tuner define(STUDY_OF_BRANCH = 1)
#pragma tuner define(EXPENSIVE = BRANCH == compiled_away ? int(expensive) : 0)

// Without bounds the expensive code takes so many registers that larger blocks cannot be launched.
#pragma tuner constraint(MIN_BLOCKS * BLOCKDIMX <= max_threads_per_sm)
#pragma tuner constraint(MIN_BLOCKS > 0 || BLOCKDIMX <= 256)

#pragma tuner grid(ceil_div(width * height, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(image, float, width * height, uniform(0, 1))
#pragma tuner out(blurred, float, width * height, rtol 1e-4)
#pragma tuner scalar(width, int32) scalar(height, int32) scalar(expensive, int32)
#pragma tuner work(bytes = 8 * width * height, flops = (5 + 512 * expensive) * width * height, type = float)

// What a bare nvcc compiles: the baseline of the first study, or with -DSTUDY_OF_BRANCH=1 of the second.
#ifndef STUDY_OF_BRANCH
#define STUDY_OF_BRANCH 0
#endif
#ifndef BLOCKDIMX
#if STUDY_OF_BRANCH
#define BLOCKDIMX 128
#else
#define BLOCKDIMX 32
#endif
#endif
#ifndef BLOCKDIMY
#define BLOCKDIMY 1
#endif
#ifndef INDEX
#define INDEX_linear 0
#define INDEX_two_dimensional 1
#define INDEX_tiled 2
#define INDEX INDEX_two_dimensional
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef BRANCH
#define BRANCH_run_time 0
#define BRANCH_compiled_away 1
#define BRANCH BRANCH_run_time
#endif
#ifndef EXPENSIVE
#define EXPENSIVE 0
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 0
#endif

using tuner::uint32;

// 65535 x 65535 pixels can be numbered with 32 bits.
struct Image {
  const float* pixels;
  int width, height;

  __device__ __forceinline__ uint32 number(int x, int y) const { return static_cast<uint32>(y) * width + x; }
  __device__ __forceinline__ float at(int x, int y) const {
    return x >= 0 && x < width && y >= 0 && y < height ? pixels[number(x, y)] : 0.0f;
  }
};

__device__ __forceinline__ float mean(float centre, float left, float right, float upper, float lower) {
  return (centre + left + right + upper + lower) * 0.2f;
}

__device__ __forceinline__ float blur(Image image, int x, int y) {
  return mean(image.at(x, y), image.at(x - 1, y), image.at(x + 1, y), image.at(x, y - 1), image.at(x, y + 1));
}

#if STUDY_OF_BRANCH

__device__ __forceinline__ float deviation_around(Image image, int x, int y) {
  constexpr int count = 128;
  float window[count];
  float sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < count; ++i) window[i] = image.at(x + i - count / 2, y);
#pragma unroll
  for (int i = 0; i < count; ++i) sum += window[i];
#pragma unroll
  for (int i = 0; i < count; ++i) squares += (window[i] - sum / count) * (window[i] - sum / count);
  return sqrtf(squares / count);
}

extern "C" __global__ void
#if MIN_BLOCKS > 0
__launch_bounds__(BLOCKDIMX, MIN_BLOCKS)
#endif
blur2d_branch(const float* image, float* blurred, int width, int height, int expensive_given) {
  const bool expensive = BRANCH == BRANCH_compiled_away ? EXPENSIVE : expensive_given;
  const Image source = {image, width, height};
  const uint32 pixel = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (pixel >= static_cast<uint32>(width) * height) return;
  const int x = pixel % width, y = pixel / width;
  float value = blur(source, x, y);
  if (expensive) value += deviation_around(source, x, y);
  blurred[pixel] = value;
}

#else

extern "C" __global__ void blur2d_shape(const float* image, float* blurred, int width, int height) {
  const Image source = {image, width, height};

#if INDEX == INDEX_linear
  const uint32 pixel = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (pixel >= static_cast<uint32>(width) * height) return;
  blurred[pixel] = blur(source, pixel % width, pixel / width);
#else
  const int x = blockIdx.x * BLOCKDIMX + threadIdx.x;
  const int y = (blockIdx.y * BLOCKDIMY + threadIdx.y) * ROWS;

#if INDEX == INDEX_tiled
  constexpr int tile_width = BLOCKDIMX + 2, tile_height = BLOCKDIMY * ROWS + 2;
  __shared__ float tile[tile_height][tile_width];
  const int left = blockIdx.x * BLOCKDIMX - 1, top = blockIdx.y * BLOCKDIMY * ROWS - 1;
  for (int row = threadIdx.y; row < tile_height; row += BLOCKDIMY) {
    for (int column = threadIdx.x; column < tile_width; column += BLOCKDIMX) {
      tile[row][column] = source.at(left + column, top + row);
    }
  }
  __syncthreads();
  const auto at = [&](int column, int row) { return tile[row - top][column - left]; };
#else
  const auto at = [&](int column, int row) { return source.at(column, row); };
#endif

  // All loads before the first store, so that they are under way together. A pixel is loaded once for those above and
  // below it.
  float centre[ROWS + 2], left_of[ROWS], right_of[ROWS];
#pragma unroll
  for (int row = 0; row < ROWS + 2; ++row) centre[row] = at(x, y + row - 1);
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    left_of[row] = at(x - 1, y + row);
    right_of[row] = at(x + 1, y + row);
  }
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    if (x < width && y + row < height) {
      blurred[source.number(x, y + row)] =
          mean(centre[row + 1], left_of[row], right_of[row], centre[row], centre[row + 2]);
    }
  }
#endif
}

#endif

// The median of 3 x 3 bytes around each pixel of an image, which takes specks out of it. Beyond an edge lie the pixels
// of the edge.
//
//   COLUMNS  neighbouring pixels of a thread
//   ROWS     rows of a thread, one after the other: it keeps the rows above and below in registers
//   SORT     network  a network of exchanges of two values
//            columns  three values above each other are sorted once for the three medians that need them
//            bits     the median's bits one after the other: how many values are at least as great?
//   SOURCE   direct   each thread reads its pixels and their neighbours
//            tile     the block has its part of the image in shared memory
//   PAD      bytes behind each row of the tile
//   STORE    bytes    one by one
//            packed   all of a row of a thread together
//   LOOP     rolled   through the rows; or all rows follow each other in the code
#pragma tuner kernel(median_filter)
#pragma tuner problem(width: size = 8192, height: size = 8192)
#pragma tuner problem_constraint(1 <= width <= 65536) problem_constraint(1 <= height <= 16384)

#pragma tuner param(BLOCK_X, 16, 32, 64, 128; default 32)
#pragma tuner param(BLOCK_Y, 1, 2, 4, 8, 16; default 8)
#pragma tuner param(COLUMNS, 1, 2, 4; default 1)
#pragma tuner param(ROWS, 1, 2, 4, 8; default 1)
#pragma tuner param(SORT, network, columns, bits; default network)
#pragma tuner param(SOURCE, direct, tile; default direct)
#pragma tuner param(PAD, 0, 2; default 0)
#pragma tuner param(STORE, bytes, packed; default bytes)
#pragma tuner param(LOOP, rolled, unrolled; default rolled)

// One row is no loop, and one column is never packed. A flat tile is mostly its neighbours.
#pragma tuner constraint(64 <= BLOCK_X * BLOCK_Y <= 512)
#pragma tuner constraint(STORE == bytes || COLUMNS > 1 && width % COLUMNS == 0)
#pragma tuner constraint(LOOP == rolled || ROWS > 1 && ROWS * COLUMNS <= 8)
#pragma tuner constraint(SOURCE == tile ? BLOCK_Y * ROWS >= 4 : PAD == 0)
#pragma tuner constraint(SORT != columns || COLUMNS > 1)

#pragma tuner grid(ceil_div(width, BLOCK_X * COLUMNS), ceil_div(height, BLOCK_Y * ROWS)) block(BLOCK_X, BLOCK_Y)
#pragma tuner in(image, uint8, width * height, index(256)) out(medians, uint8, width * height)
#pragma tuner scalar(width, int32) scalar(height, int32)
#pragma tuner work(bytes = 2 * width * height, flops = 30 * width * height)

#ifndef BLOCK_X  // what a bare nvcc compiles: the baseline
#define BLOCK_X 32
#define BLOCK_Y 8
#define COLUMNS 1
#define ROWS 1
#define SORT_network 0
#define SORT_columns 1
#define SORT_bits 2
#define SORT SORT_network
#define SOURCE_direct 0
#define SOURCE_tile 1
#define SOURCE SOURCE_direct
#define PAD 0
#define STORE_bytes 0
#define STORE_packed 1
#define STORE STORE_bytes
#define LOOP_rolled 0
#define LOOP_unrolled 1
#define LOOP LOOP_rolled
#endif

__device__ __forceinline__ void order(int& a, int& b) {
  const int less = min(a, b);
  b = max(a, b);
  a = less;
}

__device__ __forceinline__ void order(int& a, int& b, int& c) {
  order(a, b);
  order(b, c);
  order(a, b);
}

__device__ __forceinline__ int median(int a, int b, int c) {
  return max(min(a, b), min(max(a, b), c));
}

// Three rows of the pixels that a thread's medians of one row need.
using Window = int[3][COLUMNS + 2];

__device__ __forceinline__ void medians_of(const Window& window, int (&result)[COLUMNS]) {
#if SORT == SORT_columns
  int low[COLUMNS + 2], middle[COLUMNS + 2], high[COLUMNS + 2];
#pragma unroll
  for (int x = 0; x < COLUMNS + 2; ++x) {
    low[x] = window[0][x], middle[x] = window[1][x], high[x] = window[2][x];
    order(low[x], middle[x], high[x]);
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    result[c] = median(max(max(low[c], low[c + 1]), low[c + 2]), median(middle[c], middle[c + 1], middle[c + 2]),
                       min(min(high[c], high[c + 1]), high[c + 2]));
  }
#elif SORT == SORT_bits
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    int found = 0;
#pragma unroll 1
    for (int bit = 128; bit > 0; bit /= 2) {
      int not_less = 0;
#pragma unroll
      for (int i = 0; i < 9; ++i) not_less += window[i / 3][c + i % 3] >= (found | bit);
      if (not_less >= 5) found |= bit;
    }
    result[c] = found;
  }
#else
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    int v[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) v[i] = window[i / 3][c + i % 3];
    order(v[0], v[1], v[2]);
    order(v[3], v[4], v[5]);
    order(v[6], v[7], v[8]);
    // Now v[0], v[3], v[6] are the least of each three, and so on.
    order(v[0], v[3]), order(v[3], v[6]);
    order(v[1], v[4], v[7]);
    order(v[5], v[8]), order(v[2], v[5]);
    result[c] = median(v[6], v[4], v[2]);
  }
#endif
}

__device__ __forceinline__ void store(unsigned char* to, const int (&result)[COLUMNS], int count) {
#if STORE == STORE_packed && COLUMNS == 4
  *reinterpret_cast<uchar4*>(to) = {static_cast<unsigned char>(result[0]), static_cast<unsigned char>(result[1]),
                                    static_cast<unsigned char>(result[2]), static_cast<unsigned char>(result[3])};
#elif STORE == STORE_packed
  *reinterpret_cast<uchar2*>(to) = {static_cast<unsigned char>(result[0]), static_cast<unsigned char>(result[1])};
#else
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    if (c < count) to[c] = static_cast<unsigned char>(result[c]);
  }
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    median_filter(const unsigned char* __restrict__ image, unsigned char* __restrict__ medians, int width, int height) {
  const int own_x = threadIdx.x * COLUMNS, own_y = threadIdx.y * ROWS;
  const int block_x = blockIdx.x * (BLOCK_X * COLUMNS), block_y = blockIdx.y * (BLOCK_Y * ROWS);
  const auto pixel = [&](int x, int y) {
    const int inner_x = min(max(x, 0), width - 1), inner_y = min(max(y, 0), height - 1);
    return image[static_cast<long long>(inner_y) * width + inner_x];
  };

#if SOURCE == SOURCE_tile
  constexpr int tile_width = BLOCK_X * COLUMNS + 2, tile_height = BLOCK_Y * ROWS + 2;
  __shared__ unsigned char tile[tile_height][tile_width + PAD];
  for (int y = threadIdx.y; y < tile_height; y += BLOCK_Y) {
    for (int x = threadIdx.x; x < tile_width; x += BLOCK_X) tile[y][x] = pixel(block_x + x - 1, block_y + y - 1);
  }
  __syncthreads();
  // Both count from the pixel to the left of and above the thread's first.
  const auto value = [&](int x, int y) { return tile[own_y + y][own_x + x]; };
#else
  const auto value = [&](int x, int y) { return pixel(block_x + own_x + x - 1, block_y + own_y + y - 1); };
#endif

  const int first_x = block_x + own_x;
  if (first_x >= width) return;
  Window window;
#pragma unroll
  for (int x = 0; x < COLUMNS + 2; ++x) window[1][x] = value(x, 0), window[2][x] = value(x, 1);
#if LOOP == LOOP_unrolled
#pragma unroll
#else
#pragma unroll 1
#endif
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int x = 0; x < COLUMNS + 2; ++x) {
      window[0][x] = window[1][x];
      window[1][x] = window[2][x];
      window[2][x] = value(x, r + 2);
    }
    int result[COLUMNS];
    medians_of(window, result);
    const int y = block_y + own_y + r;
    if (y < height) store(medians + static_cast<long long>(y) * width + first_x, result, width - first_x);
  }
}

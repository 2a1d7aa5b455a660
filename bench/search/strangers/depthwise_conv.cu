// A convolution of each channel of images with a filter of 3 x 3 of its own, as in networks for phones. Channels lie
// side by side: input[image][y][x][channel]; beyond the edges are zeros. All sums are of positive terms.
//
//   BLOCK_C  threads along the channels, BLOCK_X along x, BLOCK_Y along y
//   WIDTH    channels of a thread, in one load
//   COLUMNS  neighbouring outputs along x of a thread, ROWS along y
//   WEIGHTS  reload     each product asks the caches for its weight
//            registers  a thread keeps those of its channels
//            shared     the block has those of its channels in shared memory
//   REUSE    none   each output loads its nine inputs
//            rows   the inputs of a row serve all outputs of a thread in that row
//            slide  so they do, and the rows too: each goes to the three rows of outputs that need it
//   STORE    `streaming` leaves the caches to the next kernel
//   BLOCKS   of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(depthwise_conv)
#pragma tuner problem(images: size = 64, height: size = 56, width: size = 56, channels: size = 128)
#pragma tuner problem_constraint(1 <= images <= 4096) problem_constraint(1 <= height <= 4096)
#pragma tuner problem_constraint(1 <= width <= 4096) problem_constraint(1 <= channels <= 4096)

#pragma tuner param(BLOCK_C, 8, 16, 32, 64; default 32)
#pragma tuner param(BLOCK_X, 1, 2, 4, 8, 16; default 4)
#pragma tuner param(BLOCK_Y, 1, 2; default 1)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(COLUMNS, 1, 2, 4; default 1)
#pragma tuner param(ROWS, 1, 2, 4; default 1)
#pragma tuner param(WEIGHTS, reload, registers, shared; default reload)
#pragma tuner param(REUSE, none, rows, slide; default none)
#pragma tuner param(STORE, plain, streaming; default plain)
#pragma tuner param(BLOCKS, 0, 4; default 0)

// Outputs that share nothing need no reuse. Registers for more than 32 results or 18 weights would spill.
#pragma tuner constraint(channels % WIDTH == 0)
#pragma tuner constraint(64 <= BLOCK_C * BLOCK_X * BLOCK_Y <= 512)
#pragma tuner constraint(BLOCK_C * WIDTH <= max(8, next_pow2(channels)))
#pragma tuner constraint(REUSE != rows || COLUMNS > 1)
#pragma tuner constraint(REUSE != slide || ROWS > 1)
#pragma tuner constraint(COLUMNS * ROWS * WIDTH <= 16)
#pragma tuner constraint(WEIGHTS != registers || WIDTH <= 2)
#pragma tuner constraint(BLOCKS * BLOCK_C * BLOCK_X * BLOCK_Y <= 1024)
#pragma tuner constraint(BLOCKS == 0 || COLUMNS * ROWS * WIDTH >= 4)

#pragma tuner let(ROW_BLOCKS = ceil_div(height, BLOCK_Y * ROWS))
#pragma tuner grid(ceil_div(width, BLOCK_X * COLUMNS) * ROW_BLOCKS, ceil_div(channels, BLOCK_C * WIDTH), images)
#pragma tuner block(BLOCK_C, BLOCK_X, BLOCK_Y)
#pragma tuner in(input, float, images * height * width * channels, uniform(0, 1))
#pragma tuner in(weight, float, 9 * channels, uniform(0, 0.2))
#pragma tuner out(output, float, images * height * width * channels)
#pragma tuner scalar(height, int32) scalar(width, int32) scalar(channels, int32)
#pragma tuner work(bytes = 8 * images * height * width * channels, \
                   flops = 18 * images * height * width * channels, type = float)

#ifndef BLOCK_C  // what a bare nvcc compiles: the baseline
#define BLOCK_C 32
#define BLOCK_X 4
#define BLOCK_Y 1
#define WIDTH 1
#define COLUMNS 1
#define ROWS 1
#define WEIGHTS_reload 0
#define WEIGHTS_registers 1
#define WEIGHTS_shared 2
#define WEIGHTS WEIGHTS_reload
#define REUSE_none 0
#define REUSE_rows 1
#define REUSE_slide 2
#define REUSE REUSE_none
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#define BLOCKS 0
#endif

#if WIDTH == 4
using Word = float4;
#elif WIDTH == 2
using Word = float2;
#else
using Word = float;
#endif

union Pack {
  Word word;
  float value[WIDTH];

  __device__ __forceinline__ void add_product(const Pack& a, const Pack& b) {
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) value[i] += a.value[i] * b.value[i];
  }
};

// The channels of a thread in an image.
struct Image {
  const float* values;
  int height, width, channels;

  __device__ __forceinline__ Pack operator()(int x, int y) const {
    Pack pack = {};
    if (0 <= x && x < width && 0 <= y && y < height) {
      pack.word = __ldg(reinterpret_cast<const Word*>(values + (static_cast<long long>(y) * width + x) * channels));
    }
    return pack;
  }
};

__device__ __forceinline__ void store(float* to, const Pack& pack) {
#if STORE == STORE_streaming
  __stcs(reinterpret_cast<Word*>(to), pack.word);
#else
  *reinterpret_cast<Word*>(to) = pack.word;
#endif
}

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK_C* BLOCK_X* BLOCK_Y, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK_C* BLOCK_X* BLOCK_Y)
#endif

extern "C" __global__ void BOUNDS depthwise_conv(const float* __restrict__ input, const float* __restrict__ weight,
                                                 float* __restrict__ output, int height, int width, int channels) {
  const int row_blocks = (height + BLOCK_Y * ROWS - 1) / (BLOCK_Y * ROWS);
  const int channel = (blockIdx.y * BLOCK_C + threadIdx.x) * WIDTH;
  const int first_x = (blockIdx.x / row_blocks * BLOCK_X + threadIdx.y) * COLUMNS;
  const int first_y = (blockIdx.x % row_blocks * BLOCK_Y + threadIdx.z) * ROWS;

#if WEIGHTS == WEIGHTS_shared
  __shared__ Pack kept[9][BLOCK_C];
  if (channel < channels) {
    for (int i = threadIdx.z * BLOCK_X + threadIdx.y; i < 9; i += BLOCK_X * BLOCK_Y) {
      kept[i][threadIdx.x].word = *reinterpret_cast<const Word*>(weight + i * channels + channel);
    }
  }
  __syncthreads();
#endif
  if (channel >= channels || first_x >= width || first_y >= height) return;
#if WEIGHTS == WEIGHTS_registers
  Pack kept[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) kept[i].word = *reinterpret_cast<const Word*>(weight + i * channels + channel);
#endif
  const auto weight_of = [&](int dx, int dy) {
#if WEIGHTS == WEIGHTS_shared
    return kept[3 * dy + dx][threadIdx.x];
#elif WEIGHTS == WEIGHTS_registers
    return kept[3 * dy + dx];
#else
    Pack pack;
    pack.word = __ldg(reinterpret_cast<const Word*>(weight + (3 * dy + dx) * channels + channel));
    return pack;
#endif
  };

  const long long image_begin = static_cast<long long>(blockIdx.z) * height * width * channels + channel;
  const Image image = {input + image_begin, height, width, channels};
  Pack sum[ROWS][COLUMNS] = {};
#if REUSE == REUSE_slide
#pragma unroll
  for (int y = 0; y < ROWS + 2; ++y) {
    Pack row[COLUMNS + 2];
#pragma unroll
    for (int x = 0; x < COLUMNS + 2; ++x) row[x] = image(first_x + x - 1, first_y + y - 1);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (y - r < 0 || y - r > 2) continue;
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) sum[r][c].add_product(row[c + dx], weight_of(dx, y - r));
      }
    }
  }
#else
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll 1
    for (int dy = 0; dy < 3; ++dy) {
#if REUSE == REUSE_rows
      Pack row[COLUMNS + 2];
#pragma unroll
      for (int x = 0; x < COLUMNS + 2; ++x) row[x] = image(first_x + x - 1, first_y + r + dy - 1);
      const auto value = [&](int x) { return row[x]; };
#else
      const auto value = [&](int x) { return image(first_x + x - 1, first_y + r + dy - 1); };
#endif
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) sum[r][c].add_product(value(c + dx), weight_of(dx, dy));
      }
    }
  }
#endif

#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      const int x = first_x + c, y = first_y + r;
      if (x >= width || y >= height) continue;
      store(output + image_begin + (static_cast<long long>(y) * width + x) * channels, sum[r][c]);
    }
  }
}

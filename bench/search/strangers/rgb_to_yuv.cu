// An image of red, green and blue bytes, side by side, in the planes that video has: a brightness for each pixel, and
// two colours for each 2 x 2 pixels. Colours come from the mean of the four. All of it is integers.
//
//   COLUMNS     pixels of a thread along x
//   PAIRS       of rows that it takes, BLOCK_Y pairs apart
//   READ        bytes, words of four, or the widest words that fit a thread's pixels
//   STAGE       none     threads read from the image
//               words    the block fills shared memory by words, and threads read from there
//               vectors  likewise, by 16 bytes
//   LOAD        `streaming` leaves the caches to others; STORE likewise
//   ARITHMETIC  products  three multiplications a value
//               dp4a      an instruction for all three
#pragma tuner kernel(rgb_to_yuv)
#pragma tuner problem(width : size = 7680, height : size = 4320)
#pragma tuner problem_constraint(16 <= width <= 65536 && width % 16 == 0)
#pragma tuner problem_constraint(2 <= height <= 65536 && height % 2 == 0)

#pragma tuner param(BLOCK_X, 16, 32, 64, 128, 256; default 32)
#pragma tuner param(BLOCK_Y, 1, 2, 4, 8; default 4)
#pragma tuner param(COLUMNS, 2, 4, 8, 16; default 2)
#pragma tuner param(PAIRS, 1, 2, 4, 8; default 1)
#pragma tuner param(READ, bytes, words, widest; default bytes)
#pragma tuner param(STAGE, none, words, vectors; default none)
#pragma tuner param(LOAD, plain, streaming; default plain)
#pragma tuner param(STORE, plain, streaming; default plain)
#pragma tuner param(ARITHMETIC, products, dp4a; default products)

// Two pixels are six bytes, which no wider word divides; four are words and nothing wider.
#pragma tuner constraint(64 <= BLOCK_X * BLOCK_Y <= 512)
#pragma tuner constraint(READ == bytes || COLUMNS >= 4)
#pragma tuner constraint(READ != widest || COLUMNS >= 8)
#pragma tuner let(STAGED_BYTES = 6 * BLOCK_X * BLOCK_Y * COLUMNS if STAGE != none else 0)
#pragma tuner constraint(STAGED_BYTES <= 49152)

#pragma tuner grid(ceil_div(width, BLOCK_X * COLUMNS), ceil_div(height // 2, BLOCK_Y * PAIRS)) block(BLOCK_X, BLOCK_Y)
#pragma tuner in(rgb, uint8, 3 * width * height, index(256)) out(brightness, uint8, width * height)
#pragma tuner out(blue, uint8, width * height // 4) out(red, uint8, width * height // 4)
#pragma tuner scalar(width, int32) scalar(height, int32)
#pragma tuner work(bytes = 3 * width * height + width * height * 3 // 2)

#ifndef BLOCK_X  // what a bare nvcc compiles: the baseline
#define BLOCK_X 32
#define BLOCK_Y 4
#define COLUMNS 2
#define PAIRS 1
#define READ_bytes 0
#define READ_words 1
#define READ_widest 2
#define READ READ_bytes
#define STAGE_none 0
#define STAGE_words 1
#define STAGE_vectors 2
#define STAGE STAGE_none
#define LOAD_plain 0
#define LOAD_streaming 1
#define LOAD LOAD_plain
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#define ARITHMETIC_products 0
#define ARITHMETIC_dp4a 1
#define ARITHMETIC ARITHMETIC_products
#endif

template <int BYTES>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = unsigned char;
};
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

constexpr int word_bytes = READ == READ_bytes ? 1 : READ == READ_words ? 4 : COLUMNS;
using ReadWord = WordOf<word_bytes>::Type;
using StageWord = WordOf<STAGE == STAGE_vectors ? 16 : 4>::Type;

// A thread's pixels of a row, and N values of a plane.
union Pixels {
  ReadWord words[3 * COLUMNS / word_bytes];
  unsigned char value[3 * COLUMNS];
};
template <int N>
union Plane {
  typename WordOf<N>::Type word;
  unsigned char value[N];
};

template <typename T>
__device__ __forceinline__ T load(const T* from) {
#if LOAD == LOAD_streaming
  return __ldcs(from);
#else
  return __ldg(from);
#endif
}

template <int N>
__device__ __forceinline__ void store(unsigned char* to, const Plane<N>& plane) {
  auto* const word = reinterpret_cast<typename WordOf<N>::Type*>(to);
#if STORE == STORE_streaming
  __stcs(word, plane.word);
#else
  *word = plane.word;
#endif
}

// The sum of products of a pixel with signed bytes, as a fraction of 2^SHIFT, rounded. An instruction takes signed
// bytes only, so it gets the pixel less 128.
template <int R, int G, int B, int SHIFT>
__device__ __forceinline__ int weighted(int r, int g, int b) {
  constexpr int half = 1 << (SHIFT - 1);
#if ARITHMETIC == ARITHMETIC_dp4a
  constexpr int factors = (R & 0xff) | (G & 0xff) << 8 | (B & 0xff) << 16;
  return __dp4a((r | g << 8 | b << 16) ^ 0x808080, factors, 128 * (R + G + B) + half) >> SHIFT;
#else
  return (R * r + G * g + B * b + half) >> SHIFT;
#endif
}

__device__ __forceinline__ int brightness_of(int r, int g, int b) {
  return 16 + weighted<33, 64, 13, 7>(r, g, b);
}
__device__ __forceinline__ int blue_of(int r, int g, int b) {
  return 128 + weighted<-38, -74, 112, 8>(r, g, b);
}
__device__ __forceinline__ int red_of(int r, int g, int b) {
  return 128 + weighted<112, -94, -18, 8>(r, g, b);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    rgb_to_yuv(const unsigned char* __restrict__ rgb, unsigned char* __restrict__ brightness,
               unsigned char* __restrict__ blue, unsigned char* __restrict__ red, int width, int height) {
  const int block_x = blockIdx.x * (BLOCK_X * COLUMNS), x = block_x + threadIdx.x * COLUMNS;
#if STAGE != STAGE_none
  constexpr int row_words = 3 * BLOCK_X * COLUMNS / sizeof(StageWord);
  __shared__ StageWord staged[2 * BLOCK_Y * row_words];
  const int valid_words = min(row_words, static_cast<int>(3 * (width - block_x) / sizeof(StageWord)));
#endif

#pragma unroll 1
  for (int p = 0; p < PAIRS; ++p) {
    const int first_pair = (blockIdx.y * PAIRS + p) * BLOCK_Y, pair = first_pair + threadIdx.y;
#if STAGE != STAGE_none
    __syncthreads();
    for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < 2 * BLOCK_Y * row_words; i += BLOCK_X * BLOCK_Y) {
      const int row = 2 * first_pair + i / row_words, word = i % row_words;
      if (row >= height || word >= valid_words) continue;
      const unsigned char* const from = rgb + 3 * (static_cast<long long>(row) * width + block_x);
      staged[i] = load(reinterpret_cast<const StageWord*>(from) + word);
    }
    __syncthreads();
#endif
    if (x >= width || 2 * pair >= height) continue;

    Pixels pixels[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#if STAGE != STAGE_none
      const StageWord* const row = staged + (2 * threadIdx.y + r) * row_words;
      const ReadWord* const from =
          reinterpret_cast<const ReadWord*>(reinterpret_cast<const unsigned char*>(row) + 3 * COLUMNS * threadIdx.x);
#pragma unroll
      for (int i = 0; i < 3 * COLUMNS / word_bytes; ++i) pixels[r].words[i] = from[i];
#else
      const ReadWord* const from = reinterpret_cast<const ReadWord*>(rgb + 3 * ((2LL * pair + r) * width + x));
#pragma unroll
      for (int i = 0; i < 3 * COLUMNS / word_bytes; ++i) pixels[r].words[i] = load(from + i);
#endif
      Plane<COLUMNS> plane;
#pragma unroll
      for (int i = 0; i < COLUMNS; ++i) {
        const unsigned char* const pixel = pixels[r].value + 3 * i;
        plane.value[i] = static_cast<unsigned char>(brightness_of(pixel[0], pixel[1], pixel[2]));
      }
      store(brightness + (2LL * pair + r) * width + x, plane);
    }

    Plane<COLUMNS / 2> of_blue, of_red;
#pragma unroll
    for (int i = 0; i < COLUMNS / 2; ++i) {
      int mean[3];
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        const int left = 6 * i + c, right = left + 3;
        mean[c] =
            (pixels[0].value[left] + pixels[0].value[right] + pixels[1].value[left] + pixels[1].value[right] + 2) >> 2;
      }
      of_blue.value[i] = static_cast<unsigned char>(blue_of(mean[0], mean[1], mean[2]));
      of_red.value[i] = static_cast<unsigned char>(red_of(mean[0], mean[1], mean[2]));
    }
    const long long to = (static_cast<long long>(pair) * width + x) / 2;
    store(blue + to, of_blue);
    store(red + to, of_red);
  }
}

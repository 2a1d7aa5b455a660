// The nearest of some centroids to each point, as a step of k-means needs it: which has the least sum of squared
// differences, and of equals the first. Points and centroids have DIMENSIONS coordinates of a signed byte each, so that
// every configuration computes the same integers: centroid^2 - 2 * point * centroid, as point^2 is the same for all.
//
//   POINTS   in a thread's registers, BLOCK / LANES apart: what is read of a centroid serves all of them
//   LANES    threads of a warp that share their points, and have every LANES-th centroid
//   PRODUCT  bytes  four multiplications of single bytes
//            dp4a   an instruction for all four of a word
//   SQUARES  of the centroids: computed with each product, or once by the block, into shared memory
//   STAGE    centroids that the block has in shared memory together; 0: it reads all of them through the caches
//   PAD      words behind each of those
//   UNROLL   centroids that a thread compares before the next look at the end of the loop
//   WIDTH    words in one load of a centroid
//   BLOCKS   of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(nearest_centroid)
#pragma tuner problem(points: size = 1048576, centroids: size = 256, DIMENSIONS: constant = 16)
#pragma tuner problem_constraint(1 <= points <= 33554432) problem_constraint(1 <= centroids <= 4096)
#pragma tuner problem_constraint(DIMENSIONS in(16, 32, 64))

#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)
#pragma tuner param(POINTS, 1, 2, 4; default 1)
#pragma tuner param(LANES, 1, 2, 4, 8; default 1)
#pragma tuner param(PRODUCT, bytes, dp4a; default bytes)
#pragma tuner param(SQUARES, product, once; default product)
#pragma tuner param(STAGE, 0, 32, 128; default 0)
#pragma tuner param(PAD, 0, 1, 4; default 0)
#pragma tuner param(UNROLL, 1, 2, 4; default 1)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(BLOCKS, 0, 2; default 0)

// Rows of shared memory need padding only where lanes read several, and wide loads keep to their boundaries.
#pragma tuner define(WORDS = DIMENSIONS // 4)
#pragma tuner constraint(STAGE > 0 && LANES > 1 && PAD % WIDTH == 0 || PAD == 0)
#pragma tuner constraint(STAGE > 0 || SQUARES == product)
#pragma tuner constraint(PRODUCT == dp4a || POINTS * UNROLL <= 4)
#pragma tuner constraint(STAGE == 0 || UNROLL * LANES <= STAGE)
#pragma tuner constraint(BLOCKS * BLOCK <= 1024)
#pragma tuner constraint(POINTS * UNROLL <= 8)

#pragma tuner grid(ceil_div(points, BLOCK // LANES * POINTS)) block(BLOCK)
#pragma tuner in(point, char4, points * WORDS, uniform(-128, 128))
#pragma tuner in(centroid, char4, centroids * WORDS, uniform(-128, 128)) out(nearest, int32, points)
#pragma tuner scalar(points, int32) scalar(centroids, int32)
#pragma tuner work(bytes = points * (DIMENSIONS + 4), flops = 2 * points * centroids * DIMENSIONS)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define DIMENSIONS 16
#define WORDS 4
#define BLOCK 128
#define POINTS 1
#define LANES 1
#define PRODUCT_bytes 0
#define PRODUCT_dp4a 1
#define PRODUCT PRODUCT_bytes
#define SQUARES_product 0
#define SQUARES_once 1
#define SQUARES SQUARES_product
#define STAGE 0
#define PAD 0
#define UNROLL 1
#define WIDTH 1
#define BLOCKS 0
#endif

constexpr int unroll = UNROLL;  // nvcc expands no macros in `#pragma unroll`

#if WIDTH == 4
using Word = int4;
#elif WIDTH == 2
using Word = int2;
#else
using Word = int;
#endif

union Centroid {
  int words[WORDS];
  Word loads[WORDS / WIDTH];
};

// `sum` and the products of four pairs of bytes.
__device__ __forceinline__ int add_products(int a, int b, int sum) {
#if PRODUCT == PRODUCT_dp4a
  return __dp4a(a, b, sum);
#else
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<signed char>(a >> shift) * static_cast<signed char>(b >> shift);
  }
  return sum;
#endif
}

template <typename Words>
__device__ __forceinline__ int square_of(const Words& words) {
  int sum = 0;
#pragma unroll
  for (int w = 0; w < WORDS; ++w) sum = add_products(words[w], words[w], sum);
  return sum;
}

struct Nearest {
  int score = 0x7fffffff, centroid = 0;

  __device__ __forceinline__ void add(int other_score, int other) {
    if (other_score < score || (other_score == score && other < centroid)) score = other_score, centroid = other;
  }
};

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

extern "C" __global__ void BOUNDS nearest_centroid(const int* __restrict__ point, const int* __restrict__ centroid,
                                                   int* __restrict__ nearest, int points, int centroids) {
  constexpr int groups = BLOCK / LANES;
  const int lane = threadIdx.x % LANES;
  const int first_point = blockIdx.x * (groups * POINTS) + threadIdx.x / LANES;
#if STAGE > 0
  constexpr int row_words = WORDS + PAD;
  alignas(16) __shared__ int staged[STAGE * row_words];
#if SQUARES == SQUARES_once
  __shared__ int squares[STAGE];
#endif
#endif

  int own[POINTS][WORDS];
  Nearest found[POINTS];
#pragma unroll
  for (int p = 0; p < POINTS; ++p) {
    const long long at = min(first_point + p * groups, points - 1);
#pragma unroll
    for (int w = 0; w < WORDS / 4; ++w) {
      const int4 four = __ldg(reinterpret_cast<const int4*>(point) + at * (WORDS / 4) + w);
      own[p][4 * w] = four.x, own[p][4 * w + 1] = four.y, own[p][4 * w + 2] = four.z, own[p][4 * w + 3] = four.w;
    }
  }

  const int step = STAGE > 0 ? STAGE : centroids;
  for (int begin = 0; begin < centroids; begin += step) {
    const int count = min(step, centroids - begin);
#if STAGE > 0
    __syncthreads();
    for (int i = threadIdx.x; i < count * WORDS; i += BLOCK) {
      staged[i / WORDS * row_words + i % WORDS] = centroid[begin * WORDS + i];
    }
    __syncthreads();
#if SQUARES == SQUARES_once
    for (int i = threadIdx.x; i < count; i += BLOCK) squares[i] = square_of(staged + i * row_words);
    __syncthreads();
#endif
#endif
#pragma unroll unroll
    for (int c = lane; c < count; c += LANES) {
      Centroid here;
#pragma unroll
      for (int w = 0; w < WORDS / WIDTH; ++w) {
#if STAGE > 0
        here.loads[w] = reinterpret_cast<const Word*>(staged + c * row_words)[w];
#else
        here.loads[w] = __ldg(reinterpret_cast<const Word*>(centroid + c * WORDS) + w);
#endif
      }
#if SQUARES == SQUARES_once
      const int square = squares[c];
#else
      const int square = square_of(here.words);
#endif
#pragma unroll
      for (int p = 0; p < POINTS; ++p) {
        int product = 0;
#pragma unroll
        for (int w = 0; w < WORDS; ++w) product = add_products(own[p][w], here.words[w], product);
        found[p].add(square - 2 * product, begin + c);
      }
    }
  }

#pragma unroll
  for (int p = 0; p < POINTS; ++p) {
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
      const int score = __shfl_xor_sync(0xffffffff, found[p].score, distance);
      const int other = __shfl_xor_sync(0xffffffff, found[p].centroid, distance);
      found[p].add(score, other);
    }
    const int to = first_point + p * groups;
    if (lane == 0 && to < points) nearest[to] = found[p].centroid;
  }
}

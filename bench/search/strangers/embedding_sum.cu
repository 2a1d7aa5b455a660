// Rows of a table, added up by lists of their numbers: sums[bag] = the sum of table[index[bag][i]] over i, as a
// recommender looks up what it knows of a user. The lists have one length, and their rows lie anywhere.
//
//   LANES    threads that share a bag, each with some of its columns
//   BAGS     bags that such a group takes, one after the other
//   WIDTH    columns in one load
//   UNROLL   rows that a thread has under way together
//   INDICES  direct   each thread reads each index itself
//            shuffle  a thread reads one, and the group passes them round
//            shared   the group leaves 32 in shared memory
//   TABLE    how a row is read: `streaming` keeps it out of the caches
#pragma tuner kernel(embedding_sum)
#pragma tuner problem(bags : size = 65536, per_bag : size = 32, rows : size = 1048576, columns : size = 64)
#pragma tuner problem_constraint(1 <= bags <= 16777216) problem_constraint(1 <= per_bag <= 65536)
#pragma tuner problem_constraint(1 <= rows <= 67108864) problem_constraint(1 <= columns <= 4096)
#pragma tuner problem_constraint(bags * per_bag < 2147483648)

#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)
#pragma tuner param(LANES, 8, 16, 32, 64; default 32)
#pragma tuner param(BAGS, 1, 4; default 1)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(UNROLL, 1, 2, 4, 8; default 1)
#pragma tuner param(INDICES, direct, shuffle, shared; default direct)
#pragma tuner param(TABLE, plain, streaming; default plain)

// Lanes without a column would idle. Many bags for a big block leave few blocks.
#pragma tuner constraint(columns % WIDTH == 0)
#pragma tuner constraint(LANES * WIDTH <= max(16, next_pow2(columns)))
#pragma tuner constraint(INDICES != shuffle || LANES <= 32)
#pragma tuner constraint(BAGS == 1 || BLOCK <= 256)

#pragma tuner let(BAGS_OF_BLOCK = BLOCK // LANES * BAGS)
#pragma tuner grid(ceil_div(bags, BAGS_OF_BLOCK)) block(BLOCK)
#pragma tuner in(index, int32, bags * per_bag, index(rows)) in(table, float, rows * columns, uniform(0, 1))
#pragma tuner out(sums, float, bags * columns)
#pragma tuner scalar(bags, int32) scalar(per_bag, int32) scalar(columns, int32)
#pragma tuner work(bytes = 4 * bags * (per_bag + columns) + 4 * min(rows, bags * per_bag) * columns, \
                   flops = bags * per_bag * columns, type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define BLOCK 128
#define LANES 32
#define BAGS 1
#define WIDTH 1
#define UNROLL 1
#define INDICES_direct 0
#define INDICES_shuffle 1
#define INDICES_shared 2
#define INDICES INDICES_direct
#define TABLE_plain 0
#define TABLE_streaming 1
#define TABLE TABLE_plain
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
};

__device__ __forceinline__ Word load(const float* from) {
#if TABLE == TABLE_streaming
  return __ldcs(reinterpret_cast<const Word*>(from));
#else
  return __ldg(reinterpret_cast<const Word*>(from));
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    embedding_sum(const int* __restrict__ index, const float* __restrict__ table, float* __restrict__ sums, int bags,
                  int per_bag, int columns) {
  constexpr int groups = BLOCK / LANES;
  constexpr int piece = INDICES == INDICES_shuffle ? LANES : 32;
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
#if INDICES == INDICES_shared
  __shared__ int staged[groups][piece];
#endif

  for (int b = 0; b < BAGS; ++b) {
    const int bag = (blockIdx.x * BAGS + b) * groups + group;
    // A group behind the last bag does that one's work, so that all threads meet, and writes nothing.
    const int* const list = index + static_cast<long long>(min(bag, bags - 1)) * per_bag;
    for (int first = 0; first < columns; first += LANES * WIDTH) {
      const int column = first + lane * WIDTH;
      Pack sum = {};
      for (int begin = 0; begin < per_bag; begin += piece) {
        const int count = min(piece, per_bag - begin);
#if INDICES == INDICES_shared
        __syncthreads();
        for (int i = lane; i < count; i += LANES) staged[group][i] = list[begin + i];
        __syncthreads();
#elif INDICES == INDICES_shuffle
        const int own = lane < count ? list[begin + lane] : 0;
#endif
        for (int k = 0; k < count; k += UNROLL) {
          Pack loaded[UNROLL];
#pragma unroll
          for (int u = 0; u < UNROLL; ++u) {
            const int i = min(k + u, count - 1);
#if INDICES == INDICES_shared
            const int row = staged[group][i];
#elif INDICES == INDICES_shuffle
            const int row = __shfl_sync(0xffffffff, own, i, LANES);
#else
            const int row = __ldg(list + begin + i);
#endif
            loaded[u] = Pack{};
            if (k + u < count && column < columns) {
              loaded[u].word = load(table + static_cast<long long>(row) * columns + column);
            }
          }
#pragma unroll
          for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) sum.value[i] += loaded[u].value[i];
          }
        }
      }
      if (bag < bags && column < columns) {
        *reinterpret_cast<Word*>(sums + static_cast<long long>(bag) * columns + column) = sum.word;
      }
    }
  }
}

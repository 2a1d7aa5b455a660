// Each row divided by its root mean square and weighted by column, as between the layers of a language model:
// output = input / sqrt(mean of input^2 + epsilon) * weight, in half precision, with cub::BlockReduce for the mean.
//
// A row is needed twice, for its norm and for the result:
//
//   KEEP    reload     from L2 or memory the second time
//           registers  kept by its threads, at most 64 elements a thread
//           shared     kept in shared memory, where a thread reads what it has written itself
//   WIDTH   elements in one load, 2 to 16 bytes
//   UNROLL  packs that a thread has under way together; of a row in registers, all
//   ROWS    rows that a block takes, one after the other
//   REDUCE  how CUB adds up the sums of a block's threads
#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>

#pragma tuner kernel(rms_norm)
#pragma tuner problem(rows: size = 16384, columns: size = 4096, epsilon: exact = 1e-5)
#pragma tuner problem_constraint(1 <= rows <= 1048576) problem_constraint(1 <= columns <= 65536)

#pragma tuner param(BLOCK, 64, 128, 256, 512, 1024; default 256)
#pragma tuner param(KEEP, reload, registers, shared; default reload)
#pragma tuner param(WIDTH, 1, 2, 4, 8; default 1)
#pragma tuner param(UNROLL, 1, 2, 4; default 1)
#pragma tuner param(ROWS, 1, 4; default 1)
#pragma tuner param(REDUCE, "cub::BLOCK_REDUCE_WARP_REDUCTIONS", "cub::BLOCK_REDUCE_RAKING", \
                            "cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY"; text)
#pragma tuner param(STORE, plain, streaming; default plain)

// All elements of a load are of one row. PACKS is a thread's share of a row that is kept in registers.
#pragma tuner define(PACKS = KEEP == registers ? ceil_div(columns, BLOCK * WIDTH) : 0)
#pragma tuner let(SHARED_BYTES = KEEP == shared ? 2 * round_up(columns, 8) : 0)
#pragma tuner constraint(columns % WIDTH == 0)
#pragma tuner constraint(PACKS * WIDTH <= 64)
#pragma tuner constraint(KEEP != registers || UNROLL == 1)
#pragma tuner constraint(SHARED_BYTES + 8192 <= max_shared_per_block)
#pragma tuner constraint(STORE == plain || WIDTH >= 2)

#pragma tuner grid(ceil_div(rows, ROWS)) block(BLOCK) shared(SHARED_BYTES)
#pragma tuner in(input, half, rows * columns, normal(0, 2)) in(weight, half, columns, uniform(0.5, 1.5))
#pragma tuner out(output, half, rows * columns, rtol 4e-3)
#pragma tuner scalar(rows, int32) scalar(columns, int32) scalar(epsilon, float)
#pragma tuner work(bytes = 4 * rows * columns, flops = 4 * rows * columns, type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define BLOCK 256
#define KEEP_reload 0
#define KEEP_registers 1
#define KEEP_shared 2
#define KEEP KEEP_reload
#define WIDTH 1
#define UNROLL 1
#define ROWS 1
#define REDUCE cub::BLOCK_REDUCE_WARP_REDUCTIONS
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#define PACKS 0
#endif

struct alignas(2 * WIDTH) Pack {
  __half value[WIDTH];
};

#if STORE == STORE_streaming
template <int Bytes>
struct WordOf;
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
#endif

__device__ __forceinline__ void store(Pack* to, const Pack& pack) {
#if STORE == STORE_streaming
  using Word = WordOf<sizeof(Pack)>::Type;
  Word word;
  memcpy(&word, &pack, sizeof(word));
  __stcs(reinterpret_cast<Word*>(to), word);
#else
  *to = pack;
#endif
}

// Calls `act` with the number of each pack that this thread has in a row, and with its place among the thread's own.
template <typename Act>
__device__ __forceinline__ void each_pack(int packs, Act act) {
#if KEEP == KEEP_registers
#pragma unroll
  for (int own = 0; own < PACKS; ++own) {
    const int pack = own * BLOCK + threadIdx.x;
    if (pack < packs) act(pack, own);
  }
#else
#pragma unroll UNROLL
  for (int pack = threadIdx.x; pack < packs; pack += BLOCK) act(pack, 0);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    rms_norm(const __half* __restrict__ input, const __half* __restrict__ weight, __half* __restrict__ output, int rows,
             int columns, float epsilon) {
  using Reduce = cub::BlockReduce<float, BLOCK, REDUCE>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float shared_factor;
#if KEEP == KEEP_registers
  Pack kept[PACKS];
#elif KEEP == KEEP_shared
  extern __shared__ uint4 row_in_shared[];
  Pack* const kept = reinterpret_cast<Pack*>(row_in_shared);
#endif

  const int packs = columns / WIDTH;
  const Pack* const weights = reinterpret_cast<const Pack*>(weight);
  const int end = min(static_cast<int>(blockIdx.x + 1) * ROWS, rows);
  for (int row = blockIdx.x * ROWS; row < end; ++row) {
    const Pack* const from = reinterpret_cast<const Pack*>(input) + static_cast<long long>(row) * packs;
    Pack* const to = reinterpret_cast<Pack*>(output) + static_cast<long long>(row) * packs;

    float squares = 0;
    each_pack(packs, [&](int pack, [[maybe_unused]] int own) {
      const Pack loaded = from[pack];
#if KEEP == KEEP_registers
      kept[own] = loaded;
#elif KEEP == KEEP_shared
      kept[pack] = loaded;
#endif
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) {
        const float element = __half2float(loaded.value[i]);
        squares += element * element;
      }
    });
    squares = Reduce(storage).Sum(squares);
    if (threadIdx.x == 0) shared_factor = rsqrtf(squares / columns + epsilon);
    __syncthreads();
    const float factor = shared_factor;

    each_pack(packs, [&](int pack, [[maybe_unused]] int own) {
#if KEEP == KEEP_registers
      const Pack element = kept[own];
#elif KEEP == KEEP_shared
      const Pack element = kept[pack];
#else
      const Pack element = from[pack];
#endif
      const Pack scale = weights[pack];
      Pack result;
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) {
        result.value[i] = __float2half(__half2float(element.value[i]) * factor * __half2float(scale.value[i]));
      }
      store(to + pack, result);
    });
    __syncthreads();  // before the next row's sums and factor are written
  }
}

// The sum of n values, in one launch.
//
// Reading is all there is to do, so the sum is as fast as memory if enough bytes are asked for before the first one
// is needed: an H200 has to have some 25 KB under way in every multiprocessor. Three factors make up that number,
// and each can be had at the expense of the others: threads (BLOCKDIMX * BLOCKS_PER_SM), bytes a load (WIDTH), and
// independent loads a thread (UNROLL).
//
// A block's sum goes to partials[blockIdx.x]. The block that finishes last adds the partial sums up, always in the
// same order, so the result is the same bits every time, however the blocks were scheduled. Nobody prepares or clears
// anything between two launches: the last block sets the counter of finished blocks back to zero.
//
// BLOCKS_PER_SM 0 gives each block one tile of BLOCKDIMX * UNROLL packs; otherwise so many blocks for each
// multiprocessor walk over all tiles, interleaved or each through a range of its own.
#include "tuner_device.cuh"

#pragma tuner kernel(reduce)
#pragma tuner problem(n: size = 268435456, TYPE: constant = float)
#pragma tuner problem_constraint(0 <= n <= 137438953472) problem_constraint(TYPE in (float, double))

#pragma tuner param(BLOCKDIMX, 128, 256, 512, 1024; default 256)
#pragma tuner param(BLOCKS_PER_SM, 0, 1, 2, 4, 8, 16, 32, 64; default 8)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(UNROLL, 1, 2, 4, 8; default 1)
#pragma tuner param(ORDER, interleaved, ranges; default interleaved)
#pragma tuner param(LOAD, plain, streaming; default plain)
#pragma tuner param(BLOCK_SUM, sweep, shuffle; default sweep)

// A load is a single value or 16 bytes. Fewer than 512 threads on a multiprocessor leave it idle. More than its limit
// wait for their turn and go where memory answers first, so that no single slow share decides when all are done. How a
// block adds up its threads' sums matters little next to memory: the sweep is there for the plain reader.
#pragma tuner let(TILE = BLOCKDIMX * UNROLL * WIDTH)
#pragma tuner constraint(WIDTH in (1, 16 // sizeof(TYPE)))
#pragma tuner constraint(BLOCKS_PER_SM == 0 || 512 <= BLOCKS_PER_SM * BLOCKDIMX <= 8 * max_threads_per_sm)
#pragma tuner constraint(ORDER == interleaved || BLOCKS_PER_SM != 0)
#pragma tuner constraint(LOAD == plain || WIDTH != 1)
#pragma tuner constraint(BLOCK_SUM == shuffle || WIDTH == 1 && UNROLL == 1)

#pragma tuner let(TILES = max(1, ceil_div(n, TILE)))
#pragma tuner let(BLOCKS = BLOCKS_PER_SM == 0 ? TILES : min(TILES, BLOCKS_PER_SM * sm_count))
#pragma tuner grid(BLOCKS) block(BLOCKDIMX)
#pragma tuner in(values, TYPE, n, uniform(0, 1))
#pragma tuner out(total, TYPE, 1, rtol 1e-5) scratch(partials, TYPE, BLOCKS) inout(finished, uint32, 1, constant(0))
#pragma tuner scalar(n, int64)
#pragma tuner work(bytes = sizeof(TYPE) * n, flops = n, type = TYPE) deterministic

// What a bare nvcc compiles: the baseline.
#ifndef TYPE
#define TYPE float
#endif
#ifndef BLOCKDIMX
#define BLOCKDIMX 256
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 8
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef ORDER
#define ORDER_interleaved 0
#define ORDER_ranges 1
#define ORDER ORDER_interleaved
#endif
#ifndef LOAD
#define LOAD_plain 0
#define LOAD_streaming 1
#define LOAD LOAD_plain
#endif
#ifndef BLOCK_SUM
#define BLOCK_SUM_sweep 0
#define BLOCK_SUM_shuffle 1
#define BLOCK_SUM BLOCK_SUM_sweep
#endif

static_assert(BLOCKDIMX % 32 == 0 && (BLOCKDIMX & (BLOCKDIMX - 1)) == 0 && BLOCKDIMX <= 1024,
              "the block's sum needs a power of two of threads, at most 32 warps");

using Values = tuner::Pack<TYPE, WIDTH>;

// Tiles `first`, `first + step`, ... before `end`.
struct Tiles {
  tuner::int64 first, end, step;
};

__device__ __forceinline__ tuner::int64 tiles_of(tuner::int64 count) {
  constexpr int tile = BLOCKDIMX * UNROLL * WIDTH;
  return (count + tile - 1) / tile;
}

__device__ __forceinline__ Values load(const TYPE* from) {
#if LOAD == LOAD_streaming
  return tuner::load_pack_streaming<WIDTH>(from);
#else
  return tuner::load_pack<WIDTH>(from);
#endif
}

// This thread's share of the values in a block's tiles. Whoever has tile 0 also takes the values after the last pack.
__device__ __forceinline__ TYPE sum_of(const TYPE* values, tuner::int64 count, Tiles tiles) {
  constexpr int packs_in_tile = BLOCKDIMX * UNROLL;
  const tuner::int64 packs = count / WIDTH;
  Values sum = {};
#pragma unroll 1
  for (tuner::int64 tile = tiles.first; tile < tiles.end; tile += tiles.step) {
    const tuner::int64 first = tile * packs_in_tile + threadIdx.x;
    Values loaded[UNROLL] = {};
    // One question for all loads of a tile: with one for each, no load would start before the one in front of it.
    if ((tile + 1) * packs_in_tile <= packs) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) loaded[u] = load(values + (first + u * BLOCKDIMX) * WIDTH);
    } else {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        if (first + u * BLOCKDIMX < packs) loaded[u] = load(values + (first + u * BLOCKDIMX) * WIDTH);
      }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) sum[i] += loaded[u][i];
    }
  }
  TYPE total = sum[0];
#pragma unroll
  for (int i = 1; i < WIDTH; ++i) total += sum[i];
  const tuner::int64 single = packs * WIDTH + threadIdx.x;
  if (tiles.first == 0 && single < count) total += values[single];
  return total;
}

// The sum over the block, in thread 0. Between two calls there must be a barrier.
__device__ __forceinline__ TYPE block_sum(TYPE value) {
#if BLOCK_SUM == BLOCK_SUM_sweep
  __shared__ TYPE sum_of_thread[BLOCKDIMX];
  sum_of_thread[threadIdx.x] = value;
  __syncthreads();
#pragma unroll 1
  for (int half = BLOCKDIMX / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sum_of_thread[threadIdx.x] += sum_of_thread[threadIdx.x + half];
    __syncthreads();
  }
  return sum_of_thread[0];
#else
  constexpr int warps = BLOCKDIMX / 32;
  __shared__ TYPE sum_of_warp[warps];
  const TYPE of_warp = tuner::warp_sum(value);
  if (threadIdx.x % 32 == 0) sum_of_warp[threadIdx.x / 32] = of_warp;
  __syncthreads();
  TYPE of_block = 0;
  if (threadIdx.x < 32) of_block = tuner::warp_sum(threadIdx.x < warps ? sum_of_warp[threadIdx.x] : TYPE(0));
  return of_block;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCKDIMX)
    reduce(const TYPE* values, TYPE* total, TYPE* partials, tuner::uint32* finished, tuner::int64 n) {
  __shared__ bool is_last;

  const tuner::int64 tiles = tiles_of(n);
#if BLOCKS_PER_SM == 0
  const Tiles own = {blockIdx.x, blockIdx.x + 1, 1};
#elif ORDER == ORDER_ranges
  const Tiles own = {blockIdx.x * tiles / gridDim.x, (blockIdx.x + 1) * tiles / gridDim.x, 1};
#else
  const Tiles own = {blockIdx.x, tiles, gridDim.x};
#endif
  const TYPE of_block = block_sum(sum_of(values, n, own));

  // A block's partial sum is visible to everybody before the block counts as finished, and whoever counted last reads
  // the sums only afterwards.
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = of_block;
    is_last = tuner::count_done(finished) == gridDim.x - 1;
    if (is_last) {
      tuner::acquire_writes();
      *finished = 0;
    }
  }
  __syncthreads();
  if (!is_last) return;
  const TYPE of_all = block_sum(sum_of(partials, gridDim.x, Tiles{0, tiles_of(gridDim.x), 1}));
  if (threadIdx.x == 0) *total = of_all;
}

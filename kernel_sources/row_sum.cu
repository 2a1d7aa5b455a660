// Sums along one axis of a matrix, and who makes them.
//
// The same loop over the terms of a sum, one thread a sum, is right for one order of the array and wrong for the other:
// what counts is not what a thread reads next but what the 32 threads of a warp read together. Where the terms of a sum
// lie side by side in memory, neighbouring threads are a whole row apart, each load touches 32 sectors and uses 4 bytes
// of the 32 in each (the rest is used only if L1 keeps the sectors until the thread comes back for them). Where the
// sums lie side by side, a warp reads 128 bytes in a row.
//
//   UNIT      thread  a thread a sum: 10000 sums are 10000 threads, too few for a large GPU whichever way they read
//             warp    32 threads a sum, which read side by side if the terms do
//             block   a block a sum
//             tile    where the sums lie side by side: a block makes 32 * WIDTH neighbouring sums, its warps share the
//                     terms
//   WIDTH     elements in one load: terms where they lie side by side, sums in a tile
//   PARTIALS  loads that a thread has under way together, each with a partial sum of its own
//
// Row-major or column-major (column_major), a sum for each row or for each column (axis 0, 1): of the four, the terms
// lie side by side where axis == column_major.
#include "tuner_device.cuh"

#pragma tuner kernel(row_sum)
#pragma tuner problem(rows: size = 10000, columns: size = 10000, axis: constant = 0, column_major: constant = 0)
#pragma tuner problem_constraint(1 <= rows <= 1000000) problem_constraint(1 <= columns <= 1000000)
#pragma tuner problem_constraint(axis in (0, 1)) problem_constraint(column_major in (0, 1))

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(UNIT, thread, warp, block, tile)
#pragma tuner param(WIDTH, 1, 2, 4)
#pragma tuner param(PARTIALS, 1, 2, 4, 8)

#pragma tuner let(SUMS = axis == 0 ? rows : columns) let(TERMS = axis == 0 ? columns : rows)
#pragma tuner constraint(axis != column_major || UNIT != tile)
#pragma tuner constraint(BLOCKDIMX * WIDTH * PARTIALS <= 16384)
#pragma tuner constraint(WIDTH == 1 || axis == column_major || UNIT == tile)

#pragma tuner let(SUMS_PER_BLOCK = UNIT == thread ? BLOCKDIMX : UNIT == warp ? BLOCKDIMX // 32 : \
                                     UNIT == block ? 1 : 32 * WIDTH)
#pragma tuner grid(ceil_div(SUMS, SUMS_PER_BLOCK)) block(BLOCKDIMX)
#pragma tuner in(matrix, float, rows * columns, uniform(0, 1))
#pragma tuner out(sums, float, SUMS)
#pragma tuner scalar(count, int32, value SUMS) scalar(terms, int32, value TERMS)
#pragma tuner work(bytes = 4 * rows * columns + 4 * SUMS, flops = rows * columns, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef UNIT
#define UNIT_thread 0
#define UNIT_warp 1
#define UNIT_block 2
#define UNIT_tile 3
#define UNIT UNIT_thread
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef PARTIALS
#define PARTIALS 1
#endif
#ifndef axis
#define axis 0
#endif
#ifndef column_major
#define column_major 0
#endif

using tuner::int64;

using Values = tuner::Pack<float, WIDTH>;

__device__ __forceinline__ void add(Values& total, const Values& more) {
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) total[i] += more[i];
}

// Adds up load(first), load(first + step), ... below `end`, PARTIALS loads at a time.
template <typename Load>
__device__ __forceinline__ Values total_of(int first, int end, int step, Load load) {
  Values partial[PARTIALS] = {};
#if PARTIALS > 1
#pragma unroll 1
#endif
  for (int64 at = first; at < end; at += PARTIALS * step) {
    Values loaded[PARTIALS] = {};
    if (at + (PARTIALS - 1) * step < end) {
#pragma unroll
      for (int p = 0; p < PARTIALS; ++p) loaded[p] = load(at + p * step);
    } else {
#pragma unroll
      for (int p = 0; p < PARTIALS; ++p) {
        if (at + p * step < end) loaded[p] = load(at + p * step);
      }
    }
#pragma unroll
    for (int p = 0; p < PARTIALS; ++p) add(partial[p], loaded[p]);
  }
#pragma unroll
  for (int p = 1; p < PARTIALS; ++p) add(partial[0], partial[p]);
  return partial[0];
}

#if UNIT == UNIT_tile

extern "C" __global__ void row_sum(const float* matrix, float* sums, int count, int terms) {
  constexpr int slices = BLOCKDIMX / 32, in_tile = 32 * WIDTH;
  __shared__ float of_slice[slices][in_tile];

  const int lane = threadIdx.x % 32, slice = threadIdx.x / 32;
  const int64 first = static_cast<int64>(blockIdx.x) * in_tile;
  const int64 sum = first + lane * WIDTH;
  const bool aligned = count % WIDTH == 0;  // all or none of a thread's sums exist then
  Values total = {};
  if (sum < count) {
    total = total_of(slice, terms, slices, [=](int64 term) {
      const float* const at = matrix + term * count + sum;
      if (aligned) return tuner::load_pack<WIDTH>(at);
      Values values = {};
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) {
        if (sum + i < count) values[i] = at[i];
      }
      return values;
    });
  }
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) of_slice[slice][lane * WIDTH + i] = total[i];
  __syncthreads();
  for (int i = threadIdx.x; i < in_tile && first + i < count; i += BLOCKDIMX) {
    float of_all = 0;
    for (int s = 0; s < slices; ++s) of_all += of_slice[s][i];
    sums[first + i] = of_all;
  }
}

#else

// What thread `rank` of `threads` adds to one sum. Where the terms lie side by side, the few before the first aligned
// pack and behind the last are taken one by one.
__device__ __forceinline__ float part_of_sum(const float* matrix, int64 sum, int count, int terms, int rank,
                                             int threads) {
  const bool side_by_side = axis == column_major;
  const float* const first = matrix + (side_by_side ? sum * terms : sum);
  const int64 step = side_by_side ? 1 : count;
  const int misaligned = side_by_side ? static_cast<int>(sum * terms % WIDTH) : 0;
  const int before = misaligned == 0 ? 0 : WIDTH - misaligned < terms ? WIDTH - misaligned : terms;
  const int packs = (terms - before) / WIDTH;

  const Values total = total_of(rank, packs, threads, [=](int64 pack) {
    return tuner::load_pack<WIDTH>(first + (before + pack * WIDTH) * step);
  });
  float part = 0;
  for (int term = rank; term < before; term += threads) part += first[term];
  for (int term = before + packs * WIDTH + rank; term < terms; term += threads) part += first[term];
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) part += total[i];
  return part;
}

extern "C" __global__ void row_sum(const float* matrix, float* sums, int count, int terms) {
#if UNIT == UNIT_thread
  const int64 sum = static_cast<int64>(blockIdx.x) * BLOCKDIMX + threadIdx.x;
  if (sum < count) sums[sum] = part_of_sum(matrix, sum, count, terms, 0, 1);
#elif UNIT == UNIT_warp
  const int64 sum = static_cast<int64>(blockIdx.x) * (BLOCKDIMX / 32) + threadIdx.x / 32;
  if (sum >= count) return;
  const float total = tuner::warp_sum(part_of_sum(matrix, sum, count, terms, threadIdx.x % 32, 32));
  if (threadIdx.x % 32 == 0) sums[sum] = total;
#else
  constexpr int warps = BLOCKDIMX / 32;
  __shared__ float of_warp[warps];

  const int64 sum = blockIdx.x;
  const float total = tuner::warp_sum(part_of_sum(matrix, sum, count, terms, threadIdx.x, BLOCKDIMX));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x < 32) {
    const float of_all = tuner::warp_sum(threadIdx.x < warps ? of_warp[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) sums[sum] = of_all;
  }
#endif
}

#endif

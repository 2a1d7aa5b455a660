// Running sums along each row of a matrix: output(r, c) = input(r, 0) + ... + input(r, c).
//
// A group of threads goes through a row tile by tile. Each thread sums up ITEMS neighbouring numbers, the group scans
// these sums, and what comes before the tile is carried over.
//
//   GROUP     threads of a row
//   ROWS      groups of a block, each with a row of its own
//   ITEMS     neighbouring numbers of a thread
//   EXCHANGE  direct  a thread loads and stores its numbers itself
//             shared  they are loaded and stored side by side, and change hands in shared memory
//             padded  likewise, with a word between every 32, so that neighbouring threads' numbers are in other banks
//   SCAN      shuffle  within warps, then over the warps' sums
//             sweep    in shared memory, with two barriers for each doubling of the distance
//   PREFETCH  the next tile is loaded before this one is scanned
#pragma tuner kernel(row_scan)
#pragma tuner problem(rows: size = 8192, columns: size = 8192)
#pragma tuner problem_constraint(1 <= rows <= 4194304) problem_constraint(1 <= columns <= 16777216)

#pragma tuner param(GROUP, 32, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(ROWS, 1, 2, 4, 8; default 1)
#pragma tuner param(ITEMS, 1, 2, 4, 8, 12, 16; default 1)
#pragma tuner param(EXCHANGE, direct, shared, padded; default direct)
#pragma tuner param(SCAN, shuffle, sweep; default sweep)
#pragma tuner param(PREFETCH, 0, 1; default 0)

// One warp needs no shared memory. A single number of a thread is side by side with the others' as it is.
#pragma tuner let(BLOCK = GROUP * ROWS)
#pragma tuner constraint(64 <= BLOCK <= 1024)
#pragma tuner constraint(GROUP > 32 || SCAN == shuffle)
#pragma tuner constraint(ITEMS > 1 || EXCHANGE == direct)
#pragma tuner constraint(BLOCK * ITEMS <= 8192)

// A pack is what one load takes where rows begin at whole packs.
#pragma tuner define(PACK = EXCHANGE != direct || columns % 4 != 0 ? 1 : min(ITEMS, 4))
#pragma tuner grid(ceil_div(rows, ROWS)) block(GROUP, ROWS)
#pragma tuner shared(EXCHANGE == direct ? 0 : BLOCK * ITEMS * 33 // 32 * 4)
#pragma tuner in(input, int32, rows * columns, index(100)) out(output, int32, rows * columns)
#pragma tuner scalar(rows, int32) scalar(columns, int32)
#pragma tuner work(bytes = 8 * rows * columns)

#ifndef GROUP  // what a bare nvcc compiles: the baseline
#define GROUP 128
#define ROWS 1
#define ITEMS 1
#define EXCHANGE_direct 0
#define EXCHANGE_shared 1
#define EXCHANGE_padded 2
#define EXCHANGE EXCHANGE_direct
#define SCAN_shuffle 0
#define SCAN_sweep 1
#define SCAN SCAN_sweep
#define PREFETCH 0
#define PACK 1
#endif

constexpr int tile = GROUP * ITEMS;

struct alignas(4 * PACK) Pack {
  int item[PACK];
};

// What a thread has of a tile: neighbours, or every GROUP-th number if they are to be exchanged.
struct Part {
  Pack pack[ITEMS / PACK];

  __device__ __forceinline__ int& operator[](int i) { return pack[i / PACK].item[i % PACK]; }
};

__device__ __forceinline__ int place_in_tile(int pack) {
  return EXCHANGE == EXCHANGE_direct ? threadIdx.x * ITEMS + pack * PACK : pack * GROUP + threadIdx.x;
}

__device__ __forceinline__ Part load(const int* row, int first, int end) {
  Part part = {};
#pragma unroll
  for (int p = 0; p < ITEMS / PACK; ++p) {
    const int at = first + place_in_tile(p);
    if (at < end) part.pack[p] = *reinterpret_cast<const Pack*>(row + at);
  }
  return part;
}

// Turns what was loaded side by side into neighbours, or neighbours into what can be stored side by side.
__device__ __forceinline__ void exchange([[maybe_unused]] Part& part, [[maybe_unused]] bool to_neighbours) {
#if EXCHANGE != EXCHANGE_direct
  extern __shared__ int tiles[];
  int* const own = tiles + threadIdx.y * (tile * 33 / 32);
  const auto place = [=](int i, bool neighbours) {
    const int at = neighbours ? threadIdx.x * ITEMS + i : i * GROUP + threadIdx.x;
    return EXCHANGE == EXCHANGE_padded ? at + at / 32 : at;
  };
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) own[place(i, !to_neighbours)] = part[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) part[i] = own[place(i, to_neighbours)];
#endif
}

// The sum of the group's values up to this thread's; `total` is that of all.
__device__ __forceinline__ int scan_of_group(int value, int& total) {
  __shared__ int sums[ROWS][GROUP];
  int* const sum = sums[threadIdx.y];
  const int me = threadIdx.x;
  __syncthreads();  // what an earlier call left there has been read
#if SCAN == SCAN_shuffle
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, value, distance);
    if (me % 32 >= distance) value += before;
  }
  if (me % 32 == 31) sum[me / 32] = value;
  __syncthreads();
  total = 0;
#pragma unroll
  for (int warp = 0; warp < GROUP / 32; ++warp) {
    if (warp == me / 32) value += total;
    total += sum[warp];
  }
  return value;
#else
  sum[me] = value;
  __syncthreads();
#pragma unroll 1
  for (int distance = 1; distance < GROUP; distance *= 2) {
    const int before = me >= distance ? sum[me - distance] : 0;
    __syncthreads();
    sum[me] += before;
    __syncthreads();
  }
  total = sum[GROUP - 1];
  return sum[me];
#endif
}

extern "C" __global__ void __launch_bounds__(GROUP* ROWS)
    row_scan(const int* __restrict__ input, int* __restrict__ output, int rows, int columns) {
  // A group behind the last row goes along with an empty one: the barriers are the whole block's.
  const int row = blockIdx.x * ROWS + threadIdx.y;
  const long long begin = row < rows ? static_cast<long long>(row) * columns : 0;
  const int end = row < rows ? columns : 0;

  int carried = 0;
#if PREFETCH
  Part next = load(input + begin, 0, end);
#endif
  for (int first = 0; first < columns; first += tile) {
#if PREFETCH
    Part part = next;
    next = load(input + begin, first + tile, end);
#else
    Part part = load(input + begin, first, end);
#endif
    exchange(part, true);
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) part[i] += part[i - 1];
    int total;
    const int own = part[ITEMS - 1];
    const int before = carried + scan_of_group(own, total) - own;
    carried += total;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) part[i] += before;
    exchange(part, false);
#pragma unroll
    for (int p = 0; p < ITEMS / PACK; ++p) {
      const int at = first + place_in_tile(p);
      if (at < end) *reinterpret_cast<Pack*>(output + begin + at) = part.pack[p];
    }
  }
}

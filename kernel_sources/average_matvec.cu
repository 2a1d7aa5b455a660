// Analysis-driven refactoring: averages, then a matrix.
//
// For each of N data sets of M vectors of length L: average the vectors, then multiply the average by an L x L matrix.
// `input` lies as input[n][l][m], so the M values that make one element of an average are neighbours; the matrix as
// matrix[i][l]; the result as output[i][n]. The input streams from memory once, the matrix is read again for every block.
//
//   AVERAGE thread_per_element  each thread walks M neighbouring words: a warp's load touches 32 lines to use a word of each
//           warp_per_element    a warp walks them together and adds up with shuffles
//   REDUCE  shared_sweep        BLOCKDIMX threads a row of the matrix, halving sweep in shared memory with a barrier a step:
//                               most warps idle
//           warp_shuffle        the same threads, shuffles within each warp, one exchange between warps
//           warp_per_row        a warp owns ROWS_PER_WARP whole rows; no barrier
//   DATASETS_PER_BLOCK          1, 2, 4, 8: their averages lie in shared memory together, and what is read of the matrix is
//                               used for each. 0: one block does all, one after the other (where the study began)
//   INPUT_PATH streaming        the input, which nobody reads twice, is the first to leave the caches: the matrix stays
#include "tuner_device.cuh"

#pragma tuner kernel(average_matvec)
#pragma tuner problem(N: size = 1024, L: size = 1024, M: size = 1024, TYPE: constant = float)
#pragma tuner problem_constraint(1 <= N <= 1000000) problem_constraint(1 <= L <= 16384) problem_constraint(1 <= M <= 65536)
#pragma tuner problem_constraint(N * L * M <= 68719476736) problem_constraint(TYPE == float || TYPE == double)

#pragma tuner param(BLOCKDIMX, 32, 256, 512, 1024; default 1024) param(BLOCKDIMY, 1, 32; default 1)
#pragma tuner param(MIN_BLOCKS, 0, 1; default 0)
#pragma tuner param(DATASETS_PER_BLOCK, 0, 1, 2, 4, 8; default 1)
#pragma tuner param(AVERAGE, thread_per_element, warp_per_element)
#pragma tuner param(WIDTH, 1, 2, 4)
#pragma tuner param(INPUT_PATH, plain, streaming)
#pragma tuner param(REDUCE, shared_sweep, warp_shuffle, warp_per_row)
#pragma tuner param(ROWS_PER_WARP, 1, 4)

#pragma tuner let(THREADS = BLOCKDIMX * BLOCKDIMY)
#pragma tuner let(AVERAGES_BYTES = sizeof(TYPE) * max(DATASETS_PER_BLOCK, 1) * round_up(L, 4))

#pragma tuner constraint(256 <= THREADS <= 1024) constraint(MIN_BLOCKS * THREADS <= max_threads_per_sm)
#pragma tuner constraint(WIDTH * sizeof(TYPE) <= 16)
// Who works on a row is the shape of the block, except where each warp works alone.
#pragma tuner constraint(REDUCE == warp_per_row ? BLOCKDIMY == 1 : ROWS_PER_WARP == 1 && DATASETS_PER_BLOCK <= 4)
#pragma tuner constraint(INPUT_PATH == plain || AVERAGE == warp_per_element && REDUCE == warp_per_row)
// One block for everything takes as much longer as there are data sets: where they are many, nobody need try.
#pragma tuner constraint(DATASETS_PER_BLOCK > 0 || N <= 64 && WIDTH == 1 && MIN_BLOCKS == 0)
#pragma tuner constraint(DATASETS_PER_BLOCK > 0 || INPUT_PATH == plain && ROWS_PER_WARP == 1)
#pragma tuner constraint(AVERAGES_BYTES + sizeof(TYPE) * THREADS <= max_shared_per_block)

#pragma tuner grid(DATASETS_PER_BLOCK == 0 ? 1 : ceil_div(N, DATASETS_PER_BLOCK)) block(BLOCKDIMX, BLOCKDIMY)
#pragma tuner shared(AVERAGES_BYTES)
#pragma tuner in(input, TYPE, N * L * M, uniform(0, 1))
#pragma tuner in(matrix, TYPE, L * L, uniform(0, 1))
#pragma tuner out(output, TYPE, L * N)
#pragma tuner scalar(N, int32) scalar(L, int32) scalar(M, int32)
#pragma tuner work(bytes = sizeof(TYPE) * (N * L * M + L * L + L * N), flops = N * L * M + 2 * N * L * L, type = TYPE)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 1024
#endif
#ifndef BLOCKDIMY
#define BLOCKDIMY 1
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 0  // 0: no launch bounds
#endif
#ifndef DATASETS_PER_BLOCK
#define DATASETS_PER_BLOCK 1
#endif
#ifndef AVERAGE
#define AVERAGE_thread_per_element 0
#define AVERAGE_warp_per_element 1
#define AVERAGE AVERAGE_thread_per_element
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef INPUT_PATH
#define INPUT_PATH_plain 0
#define INPUT_PATH_streaming 1
#define INPUT_PATH INPUT_PATH_plain
#endif
#ifndef REDUCE
#define REDUCE_shared_sweep 0
#define REDUCE_warp_shuffle 1
#define REDUCE_warp_per_row 2
#define REDUCE REDUCE_shared_sweep
#endif
#ifndef ROWS_PER_WARP
#define ROWS_PER_WARP 1
#endif
#ifndef TYPE
#define TYPE float
#endif

static_assert(BLOCKDIMX % 32 == 0 && (BLOCKDIMX & (BLOCKDIMX - 1)) == 0, "whole warps; sweeps halve");

constexpr int sets = DATASETS_PER_BLOCK > 0 ? DATASETS_PER_BLOCK : 1;  // that a block works on together

__device__ constexpr int warps() { return BLOCKDIMX * BLOCKDIMY / 32; }
__device__ __forceinline__ int thread_of_block() { return threadIdx.y * BLOCKDIMX + threadIdx.x; }
__device__ __forceinline__ int lane() { return threadIdx.x % 32; }
__device__ __forceinline__ int warp() { return thread_of_block() / 32; }

__device__ __forceinline__ tuner::Pack<TYPE, WIDTH> load_input(const TYPE* from) {
#if INPUT_PATH == INPUT_PATH_streaming
  return tuner::load_pack_streaming<WIDTH>(from);
#else
  return tuner::load_pack<WIDTH>(from);
#endif
}

// The part of the sum of `count` neighbouring values that falls to number `me` of `Together` threads. Packs begin where the
// address allows it; fewer than WIDTH values lie before and after them.
template <int Together>
__device__ __forceinline__ TYPE part_of_sum(const TYPE* values, int count, int me) {
  const int misplaced = static_cast<int>(reinterpret_cast<unsigned long long>(values) / sizeof(TYPE) % WIDTH);
  const int before = min((WIDTH - misplaced) % WIDTH, count);
  const int packs = (count - before) / WIDTH;
  TYPE sum = 0;
#if AVERAGE == AVERAGE_warp_per_element
#pragma unroll 8
#endif
  for (int i = me; i < packs; i += Together) {
    const tuner::Pack<TYPE, WIDTH> pack = load_input(values + before + i * WIDTH);
#pragma unroll
    for (int j = 0; j < WIDTH; ++j) sum += pack[j];
  }
  if (WIDTH > 1) {
    for (int i = me; i < before; i += Together) sum += values[i];
    for (int i = before + packs * WIDTH + me; i < count; i += Together) sum += values[i];
  }
  return sum;
}

// averages[l] for one data set.
__device__ __forceinline__ void average(TYPE* averages, const TYPE* data_set, int L, int M) {
#if AVERAGE == AVERAGE_thread_per_element
  for (int l = thread_of_block(); l < L; l += BLOCKDIMX * BLOCKDIMY) {
    averages[l] = part_of_sum<1>(data_set + static_cast<long long>(l) * M, M, 0) / M;
  }
#else
  for (int l = warp(); l < L; l += warps()) {
    const TYPE sum = tuner::warp_sum(part_of_sum<32>(data_set + static_cast<long long>(l) * M, M, lane()));
    if (lane() == 0) averages[l] = sum / M;
  }
#endif
}

// What the block has to multiply, and where the products go.
struct Work {
  const TYPE* matrix;
  const TYPE* averages;  // [sets][pitch], in shared memory
  TYPE* output;
  int pitch, first_set, N, L;

  __device__ __forceinline__ void store(int row, int set, TYPE product) const {
    if (row < L && first_set + set < N) output[static_cast<long long>(row) * N + first_set + set] = product;
  }
};

// Adds to dot[r][set] what number `me` of `Together` threads finds in row first_row + r of the matrix; rows past the end
// are the last one once more.
template <int Width, int Rows, int Together>
__device__ __forceinline__ void add_products(TYPE (&dot)[Rows * sets], const Work& work, int first_row, int me) {
  const TYPE* row[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) row[r] = work.matrix + static_cast<long long>(min(first_row + r, work.L - 1)) * work.L;
  for (int l = me * Width; l < work.L; l += Together * Width) {
    tuner::Pack<TYPE, Width> of_matrix[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) of_matrix[r] = tuner::load_pack<Width>(row[r] + l);
#pragma unroll
    for (int set = 0; set < sets; ++set) {
      const tuner::Pack<TYPE, Width> of_average = tuner::load_pack<Width>(work.averages + set * work.pitch + l);
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int j = 0; j < Width; ++j) dot[r * sets + set] += of_matrix[r][j] * of_average[j];
      }
    }
  }
}

// Adds up `Count` values over the 32 lanes at once; lane i returns the sum of value i % Count. Every step halves how many
// values a lane still has, so 32 sums take 31 shuffles and not 160.
template <int Count>
__device__ __forceinline__ TYPE fold(const TYPE (&value)[Count]) {
  if constexpr (Count == 1) {
    return value[0];
  } else {
    constexpr int half = Count / 2;
    const bool upper = (lane() & half) != 0;
    TYPE kept[half];
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const TYPE given = upper ? value[i] : value[i + half];
      kept[i] = (upper ? value[i + half] : value[i]) + __shfl_xor_sync(0xffffffffu, given, half);
    }
    return fold(kept);
  }
}
template <int Count>
__device__ __forceinline__ TYPE sums_over_lanes(const TYPE (&value)[Count]) {
  TYPE sum = fold(value);
#pragma unroll
  for (int distance = Count; distance < 32; distance *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  return sum;
}

#if REDUCE == REDUCE_warp_per_row

template <int Width>
__device__ __forceinline__ void multiply_by_warps(const Work& work) {
  constexpr int rows = ROWS_PER_WARP;
  for (int first_row = warp() * rows; first_row < work.L; first_row += warps() * rows) {
    TYPE dot[rows * sets] = {};
    add_products<Width, rows, 32>(dot, work, first_row, lane());
    const TYPE product = sums_over_lanes(dot);
    if (lane() < rows * sets) work.store(first_row + lane() / sets, lane() % sets, product);
  }
}

__device__ __forceinline__ void multiply(const Work& work) {
  if (work.L % WIDTH == 0) {
    multiply_by_warps<WIDTH>(work);
  } else {
    multiply_by_warps<1>(work);  // the rows of the matrix begin anywhere
  }
}

#elif REDUCE == REDUCE_warp_shuffle

__device__ __forceinline__ void multiply(const Work& work) {
  constexpr int warps_of_row = BLOCKDIMX / 32;
  __shared__ TYPE sum_of_warp[BLOCKDIMY][sets][warps_of_row];
  for (int first_row = 0; first_row < work.L; first_row += BLOCKDIMY) {
    const int row = first_row + static_cast<int>(threadIdx.y);
    TYPE dot[sets] = {};
    add_products<1, 1, BLOCKDIMX>(dot, work, row, threadIdx.x);
    TYPE product = sums_over_lanes(dot);
    if (warps_of_row > 1) {
      if (lane() < sets) sum_of_warp[threadIdx.y][lane()][threadIdx.x / 32] = product;
      __syncthreads();
      if (threadIdx.x < sets) {
        product = 0;
        for (int i = 0; i < warps_of_row; ++i) product += sum_of_warp[threadIdx.y][threadIdx.x][i];
      }
    }
    if (threadIdx.x < sets) work.store(row, threadIdx.x, product);
    if (warps_of_row > 1) __syncthreads();  // the next row's sums go to the same place
  }
}

#else

__device__ __forceinline__ void multiply(const Work& work) {
  __shared__ TYPE sum[BLOCKDIMY][BLOCKDIMX];
  for (int first_row = 0; first_row < work.L; first_row += BLOCKDIMY) {
    const int row = first_row + static_cast<int>(threadIdx.y);
    TYPE dot[sets] = {};
    add_products<1, 1, BLOCKDIMX>(dot, work, row, threadIdx.x);
    for (int set = 0; set < sets; ++set) {
      sum[threadIdx.y][threadIdx.x] = dot[set];
      __syncthreads();
      for (int half = BLOCKDIMX / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sum[threadIdx.y][threadIdx.x] += sum[threadIdx.y][threadIdx.x + half];
        __syncthreads();
      }
      // What is written next to this place is written by the same thread.
      if (threadIdx.x == 0) work.store(row, set, sum[threadIdx.y][0]);
    }
  }
}

#endif

extern "C" __global__ void
#if MIN_BLOCKS > 0
__launch_bounds__(BLOCKDIMX * BLOCKDIMY, MIN_BLOCKS)
#endif
average_matvec(const TYPE* input, const TYPE* matrix, TYPE* output, int N, int L, int M) {
  extern __shared__ __align__(16) TYPE averages[];
  const int pitch = (L + 3) / 4 * 4;  // packs of averages are aligned for every set
  for (int first_set = blockIdx.x * sets; first_set < N; first_set += gridDim.x * sets) {
    for (int set = 0; set < sets; ++set) {
      // Past the last data set the last one is averaged again; nobody stores what comes of it.
      const long long number = min(first_set + set, N - 1);
      average(averages + set * pitch, input + number * L * M, L, M);
    }
    __syncthreads();
    multiply({matrix, averages, output, pitch, first_set, N, L});
    __syncthreads();  // before the averages of the next data sets are written
  }
}

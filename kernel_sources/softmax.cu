// Softmax of each row: output = exp(value - the row's largest) / the sum of all of these in the row.
//
// Written down as it is defined (METHOD three_passes, the baseline) a row is read three times: for its largest value,
// for the sum, for the result. What is read again comes from L2 at best. METHOD:
//
//   three_passes  as defined
//   online        two passes: the sum is kept relative to the largest value so far, and scaled when that grows
//   shared        one pass: the row is kept in shared memory
//   registers     one pass: the row is kept in the registers of its threads, which must know its length when compiled
//
// A row belongs to ROW_THREADS threads: a part of a warp, a warp, or several. Short rows need few, so that little is
// exchanged between threads; long ones need many, so that there is room to keep them. A block has BLOCKDIMX threads.
#include "tuner_device.cuh"

#pragma tuner kernel(softmax)
#pragma tuner problem(rows: size = 32768, columns: size = 8192)
#pragma tuner problem_constraint(1 <= rows <= 1073741824) problem_constraint(0 <= columns <= 1073741824)

#pragma tuner param(METHOD, three_passes, online, shared, registers; default three_passes)
#pragma tuner param(ROW_THREADS, 8, 32, 64, 128, 256, 512, 1024; default 256)
#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 256)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(STORE, plain, streaming; default plain)

// A thread keeps at most 64 values of a row in its registers. Where a row has a block of its own, the block is as large
// as the row's threads; otherwise it has 64 to 256. `streaming` is for those who read and write everything once.
#pragma tuner let(ROWS = BLOCKDIMX // ROW_THREADS)
#pragma tuner define(PACKS = METHOD == registers ? max(1, ceil_div(columns, ROW_THREADS * WIDTH)) : 0)
#pragma tuner define(ALIGNED = columns % WIDTH == 0)
#pragma tuner let(SHARED_BYTES = METHOD == shared ? 4 * ROWS * round_up(columns, 4) : 0)
#pragma tuner constraint(BLOCKDIMX == ROW_THREADS || ROW_THREADS <= 64 && BLOCKDIMX in (64, 128, 256) && ROWS >= 1)
#pragma tuner constraint(PACKS * WIDTH <= 64)
#pragma tuner constraint(SHARED_BYTES + 512 <= max_shared_per_block)
#pragma tuner constraint(STORE == plain || METHOD in (shared, registers))

#pragma tuner grid(ceil_div(rows, ROWS)) block(BLOCKDIMX) shared(SHARED_BYTES)
#pragma tuner in(input, float, rows * columns, normal(100, 2)) out(output, float, rows * columns, rtol 2e-5, atol 1e-12)
#pragma tuner scalar(rows, int32) scalar(columns, int32)
#pragma tuner work(bytes = 8 * rows * columns, flops = 4 * rows * columns, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef METHOD
#define METHOD_three_passes 0
#define METHOD_online 1
#define METHOD_shared 2
#define METHOD_registers 3
#define METHOD METHOD_three_passes
#endif
#ifndef ROW_THREADS
#define ROW_THREADS 256
#endif
#ifndef BLOCKDIMX
#define BLOCKDIMX 256
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef STORE
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#endif
#ifndef PACKS
#define PACKS 0  // packs of a row that a thread keeps in registers
#endif
#ifndef ALIGNED
#define ALIGNED 0  // 1: a row is a whole number of packs
#endif

static_assert(BLOCKDIMX % ROW_THREADS == 0 && BLOCKDIMX % 32 == 0, "a block is a whole number of rows' threads");

constexpr int rows_in_block = BLOCKDIMX / ROW_THREADS;

using Values = tuner::Pack<float, WIDTH>;

// Less than every difference of values and still a number: what is not there adds exp(nothing) = 0.
constexpr float nothing = -3.0e38f;

struct Largest {
  static __device__ __forceinline__ float none() { return nothing; }
  static __device__ __forceinline__ float of(float a, float b) { return a > b ? a : b; }
};
struct Sum {
  static __device__ __forceinline__ float none() { return 0; }
  static __device__ __forceinline__ float of(float a, float b) { return a + b; }
};

// Combines the values of all threads of a row, for all of them. Every thread of the block calls it, once for each way
// to combine: a second call would need a barrier before it.
template <typename Combine>
__device__ __forceinline__ float over_row(float value) {
  constexpr int lanes = ROW_THREADS < 32 ? ROW_THREADS : 32;
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = Combine::of(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  constexpr int warps = ROW_THREADS / 32;
  if (warps > 1) {
    __shared__ float of_warp[BLOCKDIMX / 32];
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    const int first = threadIdx.x / ROW_THREADS * warps;
    const int lane = threadIdx.x % 32;
    value = lane < warps ? of_warp[first + lane] : Combine::none();
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      value = Combine::of(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
  }
  return value;
}

// One row of the input and of the output. Its packs are numbered; those of one thread lie ROW_THREADS apart.
struct Row {
  const float* from;
  float* to;
  int columns;  // 0 for a row behind the last

  __device__ __forceinline__ int packs() const { return (columns + WIDTH - 1) / WIDTH; }
  // `nothing` where the row has no value.
  __device__ __forceinline__ Values load(int pack) const {
#if ALIGNED
    return tuner::load_pack<WIDTH>(from + static_cast<tuner::int64>(pack) * WIDTH);
#else
    Values values;
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) values[i] = pack * WIDTH + i < columns ? from[pack * WIDTH + i] : nothing;
    return values;
#endif
  }
  __device__ __forceinline__ void store(int pack, const Values& values) const {
#if ALIGNED && STORE == STORE_streaming
    tuner::store_pack_streaming(to + static_cast<tuner::int64>(pack) * WIDTH, values);
#elif ALIGNED
    tuner::store_pack(to + static_cast<tuner::int64>(pack) * WIDTH, values);
#else
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) {
      if (pack * WIDTH + i < columns) to[pack * WIDTH + i] = values[i];
    }
#endif
  }
};

__device__ __forceinline__ float largest_of(const Values& values, float largest) {
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) largest = Largest::of(largest, values[i]);
  return largest;
}
// Replaces the values by their exponentials and returns `sum` with these added.
__device__ __forceinline__ float take_exponentials(Values& values, float largest, float sum) {
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) {
    values[i] = expf(values[i] - largest);
    sum += values[i];
  }
  return sum;
}
__device__ __forceinline__ void scale(Values& values, float factor) {
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) values[i] *= factor;
}

#if METHOD == METHOD_three_passes || METHOD == METHOD_online

__device__ __forceinline__ void softmax_of(Row row, int thread) {
  float largest = nothing;
  float sum = 0;
#if METHOD == METHOD_three_passes
  for (int p = thread; p < row.packs(); p += ROW_THREADS) largest = largest_of(row.load(p), largest);
  largest = over_row<Largest>(largest);
  for (int p = thread; p < row.packs(); p += ROW_THREADS) {
    Values values = row.load(p);
    sum = take_exponentials(values, largest, sum);
  }
#else
  for (int p = thread; p < row.packs(); p += ROW_THREADS) {
    Values values = row.load(p);
    const float now = largest_of(values, largest);
    sum = take_exponentials(values, now, sum * expf(largest - now));
    largest = now;
  }
  const float of_thread = largest;
  largest = over_row<Largest>(largest);
  sum *= expf(of_thread - largest);
#endif
  const float factor = 1 / over_row<Sum>(sum);
  for (int p = thread; p < row.packs(); p += ROW_THREADS) {
    Values values = row.load(p);
    take_exponentials(values, largest, 0);
    scale(values, factor);
    row.store(p, values);
  }
}

#elif METHOD == METHOD_shared

__device__ __forceinline__ void softmax_of(Row row, int thread) {
  extern __shared__ float rows[];
  // A thread writes and reads only its own packs, so they need no barrier.
  float* const kept = rows + threadIdx.x / ROW_THREADS * ((row.columns + 3) / 4 * 4);
  float largest = nothing;
  for (int p = thread; p < row.packs(); p += ROW_THREADS) {
    const Values values = row.load(p);
    tuner::store_pack(kept + p * WIDTH, values);
    largest = largest_of(values, largest);
  }
  largest = over_row<Largest>(largest);
  float sum = 0;
  for (int p = thread; p < row.packs(); p += ROW_THREADS) {
    Values values = tuner::load_pack<WIDTH>(kept + p * WIDTH);
    sum = take_exponentials(values, largest, sum);
    tuner::store_pack(kept + p * WIDTH, values);
  }
  const float factor = 1 / over_row<Sum>(sum);
  for (int p = thread; p < row.packs(); p += ROW_THREADS) {
    Values values = tuner::load_pack<WIDTH>(kept + p * WIDTH);
    scale(values, factor);
    row.store(p, values);
  }
}

#else  // registers

__device__ __forceinline__ void softmax_of(Row row, int thread) {
  Values kept[PACKS];
  float largest = nothing;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int pack = thread + p * ROW_THREADS;
    if (pack < row.packs()) {
      kept[p] = row.load(pack);
    } else {
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) kept[p][i] = nothing;
    }
  }
#pragma unroll
  for (int p = 0; p < PACKS; ++p) largest = largest_of(kept[p], largest);
  largest = over_row<Largest>(largest);
  float sum = 0;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) sum = take_exponentials(kept[p], largest, sum);
  const float factor = 1 / over_row<Sum>(sum);
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int pack = thread + p * ROW_THREADS;
    scale(kept[p], factor);
    if (pack < row.packs()) row.store(pack, kept[p]);
  }
}

#endif

extern "C" __global__ void __launch_bounds__(BLOCKDIMX)
    softmax(const float* __restrict__ input, float* __restrict__ output, int rows, int columns) {
  const tuner::int64 row = static_cast<tuner::int64>(blockIdx.x) * rows_in_block + threadIdx.x / ROW_THREADS;
  // Threads without a row go along with an empty one: their block's barriers and shuffles need them.
  const bool has_row = row < rows;
  const tuner::int64 first = has_row ? row * columns : 0;
  softmax_of(Row{input + first, output + first, has_row ? columns : 0}, threadIdx.x % ROW_THREADS);
}

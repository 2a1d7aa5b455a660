// Matrix multiplication in single precision, without tensor cores: c = alpha * a * b + beta * c, all row after row.
//
// A multiply-add takes two values and there are m * n * k of them, so everything is about reuse. A block computes a
// tile of BM x BN from tiles of BM x BK and BK x BN in shared memory; a thread computes TM x TN of it from TM + TN
// values in registers. With one output a thread (the baseline) every multiply-add needs two loads from shared memory,
// which can deliver one for every four that the arithmetic asks for. With 8 x 8 or 8 x 16 outputs a thread, loads of
// 16 bytes and the threads of a warp side by side, so that they share what they load, arithmetic is what limits.
//
// While a tile is computed, the next ones are on their way: through registers into the second of two buffers (COPY
// registers), or asynchronously into one of STAGES (COPY async). The values for step k + 1 are loaded from shared
// memory while step k is computed, across the border of tiles too.
//
// A_LAYOUT: a thread needs TM values of a column of a. `transposed` keeps each of the tile's columns together, so
// that four are one load; an asynchronous copy then moves single values, because it cannot transpose. `rows` keeps
// the tile as it is in memory, copied 16 bytes at a time, and a thread loads four steps of each of its TM rows at
// once.
#include "tuner_device.cuh"

#pragma tuner kernel(sgemm)
#pragma tuner problem(m: size = 4096, n: size = 4096, k: size = 4096, alpha: exact = 1, beta: exact = 0)
#pragma tuner problem_constraint(1 <= m <= 1048576) problem_constraint(1 <= n <= 1048576)
#pragma tuner problem_constraint(0 <= k <= 1048576)

#pragma tuner param(BM, 16, 32, 64, 128, 256; default 32)
#pragma tuner param(BN, 16, 32, 64, 128, 256; default 32)
#pragma tuner param(BK, 8, 16, 32; default 32)
#pragma tuner param(TM, 1, 8, 16; default 1)
#pragma tuner param(TN, 1, 8, 16; default 1)
#pragma tuner param(COPY, registers, async; default registers)
#pragma tuner param(STAGES, 1, 2, 3, 4; default 1)
#pragma tuner param(A_LAYOUT, transposed, rows; default transposed)
#pragma tuner param(UNROLL, 8, 16, 32; default 32)
#pragma tuner param(STRIP, 1, 8; default 1)
#pragma tuner param(MIN_BLOCKS, 1, 2; default 1)

// The baseline is one point of TM = TN = 1: square tiles, nothing else to choose. Otherwise a warp's 32 threads stand
// 4 x 8 or 8 x 4, its tile is at least 32 x 64, and a block has 128 to 512 threads, whose registers must hold
// the outputs and about 40 values more. A longer tile than 16 is not unrolled whole: that is 64 KB of instructions.
#pragma tuner let(BLOCKED = TM > 1)
#pragma tuner let(LANES_N = TN > TM ? 4 : 8)
#pragma tuner let(THREADS = BM * BN // (TM * TN))
#pragma tuner let(A_PITCH = A_LAYOUT == transposed ? BM + 4 : BK + 4)
#pragma tuner let(A_VALUES = A_LAYOUT == transposed ? BK * A_PITCH : BM * A_PITCH)
#pragma tuner let(SHARED_BYTES = BLOCKED ? 4 * STAGES * (A_VALUES + BK * BN) : 0)
#pragma tuner constraint(BLOCKED || TN == 1 && BM == BN && BK == BM && STAGES == 1 && UNROLL == BK)
#pragma tuner constraint(BLOCKED || COPY == registers && A_LAYOUT == transposed && STRIP == 1 && MIN_BLOCKS == 1)
#pragma tuner constraint(not BLOCKED || TN > 1 && TM * TN <= 128 && BM >= 64 && BN >= 64 && STAGES > 1)
#pragma tuner constraint(not BLOCKED || BM % (32 // LANES_N * TM) == 0 && BN % (LANES_N * TN) == 0)
#pragma tuner constraint(not BLOCKED || 128 <= THREADS <= 512 && UNROLL <= min(BK, 16))
#pragma tuner constraint(not BLOCKED || MIN_BLOCKS * THREADS * (TM * TN + 40) <= registers_per_sm)
#pragma tuner constraint(COPY == async || STAGES <= 2)
#pragma tuner constraint(SHARED_BYTES <= max_shared_per_block)
#pragma tuner constraint(MIN_BLOCKS * (SHARED_BYTES + 1024) <= max_shared_per_sm)

// Whether 16 bytes at a time is possible, and whether tiles ever stick out of the matrices.
#pragma tuner define(ALIGNED = n % 4 == 0 && k % 4 == 0)
#pragma tuner define(WHOLE = m % BM == 0 && n % BN == 0 && k % BK == 0)

#pragma tuner grid(ceil_div(m, BM) * ceil_div(n, BN)) block(THREADS) shared(SHARED_BYTES)
#pragma tuner in(a, float, m * k) in(b, float, k * n) inout(c, float, m * n, rtol 1e-4, atol 1e-5)
#pragma tuner scalar(m, int32) scalar(n, int32) scalar(k, int32) scalar(alpha, float) scalar(beta, float)
#pragma tuner work(bytes = 4 * (m * k + k * n + m * n), flops = 2 * m * n * k, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef BM
#define BM 32
#endif
#ifndef BN
#define BN 32
#endif
#ifndef BK
#define BK 32
#endif
#ifndef TM
#define TM 1
#endif
#ifndef TN
#define TN 1
#endif
#ifndef COPY
#define COPY_registers 0
#define COPY_async 1
#define COPY COPY_registers
#endif
#ifndef STAGES
#define STAGES 1
#endif
#ifndef A_LAYOUT
#define A_LAYOUT_transposed 0
#define A_LAYOUT_rows 1
#define A_LAYOUT A_LAYOUT_transposed
#endif
#ifndef UNROLL
#define UNROLL 32
#endif
#ifndef STRIP
#define STRIP 1
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif
#ifndef ALIGNED
#define ALIGNED 0
#endif
#ifndef WHOLE
#define WHOLE 0
#endif

constexpr int threads = BM * BN / (TM * TN);

struct Problem {
  const float* a;
  const float* b;
  float* c;
  int m, n, k;
  float alpha, beta;
};

// Row and column of the block's first output. Blocks walk down strips of STRIP rows of tiles, so that those under way
// at a time need few different rows of a and columns of b.
__device__ __forceinline__ void choose_tile(int m, int n, int& row, int& column) {
  const int tiles_down = (m + BM - 1) / BM;
  const int tiles_across = (n + BN - 1) / BN;
  const int block = blockIdx.x;
  const int strip = block / (STRIP * tiles_across);
  const int in_strip = block % (STRIP * tiles_across);
  const int rows_in_strip = min(STRIP, tiles_down - strip * STRIP);
  row = (strip * STRIP + in_strip % rows_in_strip) * BM;
  column = in_strip / rows_in_strip * BN;
}

#if TM == 1

// One output a thread.
__device__ __forceinline__ void compute(const Problem& problem) {
  __shared__ float tile_a[BM][BK];
  __shared__ float tile_b[BK][BN];
  int first_row, first_column;
  choose_tile(problem.m, problem.n, first_row, first_column);
  const int y = threadIdx.x / BN;
  const int x = threadIdx.x % BN;
  const tuner::int64 row = first_row + y;
  const int column = first_column + x;

  float sum = 0;
  for (int first = 0; first < problem.k; first += BK) {
    const bool has_a = row < problem.m && first + x < problem.k;
    const bool has_b = first + y < problem.k && column < problem.n;
    tile_a[y][x] = has_a ? problem.a[row * problem.k + first + x] : 0.0f;
    tile_b[y][x] = has_b ? problem.b[static_cast<tuner::int64>(first + y) * problem.n + column] : 0.0f;
    __syncthreads();
    for (int step = 0; step < BK; ++step) sum += tile_a[y][step] * tile_b[step][x];
    __syncthreads();
  }
  if (row < problem.m && column < problem.n) {
    float* const c = problem.c + row * problem.n + column;
    *c = problem.alpha * sum + (problem.beta == 0 ? 0.0f : problem.beta * *c);
  }
}

#else

constexpr int lanes_n = TN > TM ? 4 : 8;
constexpr int lanes_m = 32 / lanes_n;
constexpr int warps_n = BN / (lanes_n * TN);
constexpr int a_pitch = (A_LAYOUT == A_LAYOUT_transposed ? BM : BK) + 4;
constexpr int a_values = (A_LAYOUT == A_LAYOUT_transposed ? BK : BM) * a_pitch;
constexpr int stage_values = a_values + BK * BN;

using Four = tuner::Pack<float, 4>;

// A part of a matrix, of Rows x Columns values, which the block's threads copy Width values at a time. What sticks out
// of the matrix is zero.
template <int Rows, int Columns, int Width>
struct Part {
  static constexpr int in_row = Columns / Width;
  static constexpr int copies = (Rows * in_row + threads - 1) / threads;
  using Values = tuner::Pack<float, Width>;

  const float* matrix;
  int rows, columns;  // of the matrix
  int first_row, first_column;

  static __device__ __forceinline__ int row(int copy) { return (threadIdx.x + copy * threads) / in_row; }
  static __device__ __forceinline__ int column(int copy) { return (threadIdx.x + copy * threads) % in_row * Width; }
  static __device__ __forceinline__ bool has(int copy) {
    return Rows * in_row % threads == 0 || threadIdx.x + copy * threads < Rows * in_row;
  }
  __device__ __forceinline__ bool inside(int copy) const {
    return WHOLE || first_row + row(copy) < rows && first_column + column(copy) < columns;
  }
  __device__ __forceinline__ const float* from(int copy) const {
    if (threads % in_row != 0) return place(row(copy), column(copy));
    // As far from the thread's first one for all threads and tiles: there is less to calculate.
    return place(row(0), column(0)) + copy * (threads / in_row) * static_cast<tuner::int64>(columns);
  }

 private:
  __device__ __forceinline__ const float* place(int row, int column) const {
    return matrix + static_cast<tuner::int64>(first_row + row) * columns + first_column + column;
  }
};

constexpr int b_width = ALIGNED ? 4 : 1;
constexpr int a_width = COPY == COPY_async && A_LAYOUT == A_LAYOUT_transposed ? 1 : b_width;
using PartOfA = Part<BM, BK, a_width>;
using PartOfB = Part<BK, BN, b_width>;

// Where a value of a's part is kept. If those of one row do not stay together they are `a_pitch` apart.
__device__ __forceinline__ int place_in_a(int row, int column) {
  return A_LAYOUT == A_LAYOUT_transposed ? column * a_pitch + row : row * a_pitch + column;
}

#if COPY == COPY_async

// Brings tiles into shared memory, STAGES - 1 of them at a time.
class Copies {
 public:
  // One group a tile, empty or not, so that counting groups is counting tiles.
  __device__ __forceinline__ void start(float* stage, const PartOfA& a, const PartOfB& b, bool any) {
    if (any) {
#pragma unroll
      for (int i = 0; i < PartOfA::copies; ++i) {
        if (PartOfA::has(i))
          copy<a_width>(stage + place_in_a(PartOfA::row(i), PartOfA::column(i)), a.from(i), a.inside(i));
      }
#pragma unroll
      for (int i = 0; i < PartOfB::copies; ++i) {
        if (PartOfB::has(i))
          copy<b_width>(stage + a_values + PartOfB::row(i) * BN + PartOfB::column(i), b.from(i), b.inside(i));
      }
    }
    tuner::commit_copies();
  }
  __device__ __forceinline__ void finish(float*, bool) {
    tuner::wait_prior<STAGES - 2>();
  }

 private:
  template <int Width>
  static __device__ __forceinline__ void copy(float* to, const float* from, bool inside) {
    if (inside) {
      tuner::copy_async<4 * Width>(to, from);
    } else {
      tuner::store_pack(to, tuner::Pack<float, Width>{});
    }
  }
};

#else

// Brings tiles into shared memory, one at a time, through registers.
class Copies {
 public:
  __device__ __forceinline__ void start(float*, const PartOfA& a, const PartOfB& b, bool any) {
    if (!any) return;
#pragma unroll
    for (int i = 0; i < PartOfA::copies; ++i) {
      of_a_[i] = PartOfA::has(i) && a.inside(i) ? tuner::load_pack<a_width>(a.from(i)) : PartOfA::Values{};
    }
#pragma unroll
    for (int i = 0; i < PartOfB::copies; ++i) {
      of_b_[i] = PartOfB::has(i) && b.inside(i) ? tuner::load_pack<b_width>(b.from(i)) : PartOfB::Values{};
    }
  }
  __device__ __forceinline__ void finish(float* stage, bool any) {
    if (!any) return;
#pragma unroll
    for (int i = 0; i < PartOfA::copies; ++i) {
      if (!PartOfA::has(i)) continue;
#if A_LAYOUT == A_LAYOUT_transposed
#pragma unroll
      for (int j = 0; j < a_width; ++j) stage[place_in_a(PartOfA::row(i), PartOfA::column(i) + j)] = of_a_[i][j];
#else
      tuner::store_pack(stage + place_in_a(PartOfA::row(i), PartOfA::column(i)), of_a_[i]);
#endif
    }
#pragma unroll
    for (int i = 0; i < PartOfB::copies; ++i) {
      if (PartOfB::has(i)) tuner::store_pack(stage + a_values + PartOfB::row(i) * BN + PartOfB::column(i), of_b_[i]);
    }
  }

 private:
  PartOfA::Values of_a_[PartOfA::copies];
  PartOfB::Values of_b_[PartOfB::copies];
};

#endif

// A thread's place among the outputs of its block. Its rows and columns come in fours, next to those of the other
// lanes.
struct Place {
  int row, column;

  __device__ __forceinline__ Place() {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    row = warp / warps_n * (lanes_m * TM) + lane / lanes_n * (A_LAYOUT == A_LAYOUT_transposed ? 4 : 1);
    column = warp % warps_n * (lanes_n * TN) + lane % lanes_n * 4;
  }
  // How far the thread's i-th row and its j-th column are from its first.
  static __device__ __forceinline__ int rows_to(int i) {
    return A_LAYOUT == A_LAYOUT_transposed ? i / 4 * (4 * lanes_m) + i % 4 : i * lanes_m;
  }
  static __device__ __forceinline__ int columns_to(int j) { return j / 4 * (4 * lanes_n) + j % 4; }
};

// What a thread multiplies: the values of the step that is computed and of the one that follows it.
class Fragments {
 public:
  // For step `k` of the tile in `stage`; `k` is known to the compiler up to a multiple of UNROLL.
  __device__ __forceinline__ void load(int k, const float* stage, int tile_k, Place place) {
#if A_LAYOUT == A_LAYOUT_transposed
#pragma unroll
    for (int i = 0; i < TM; i += 4) {
      a_[k % 2][i / 4] = tuner::load_pack<4>(stage + tile_k * a_pitch + place.row + Place::rows_to(i));
    }
#else
    if (k % 4 == 0) {
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        a_[k / 4 % 2][i] = tuner::load_pack<4>(stage + (place.row + Place::rows_to(i)) * a_pitch + tile_k);
      }
    }
#endif
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      b_[k % 2][j / 4] = tuner::load_pack<4>(stage + a_values + tile_k * BN + place.column + Place::columns_to(j));
    }
  }
  __device__ __forceinline__ float a(int k, int i) const {
    return A_LAYOUT == A_LAYOUT_transposed ? a_[k % 2][i / 4].value[i % 4] : a_[k / 4 % 2][i].value[k % 4];
  }
  __device__ __forceinline__ float b(int k, int j) const {
    return b_[k % 2][j / 4].value[j % 4];
  }

 private:
  Four a_[2][A_LAYOUT == A_LAYOUT_transposed ? TM / 4 : TM];
  Four b_[2][TN / 4];
};

__device__ __forceinline__ void write(const Problem& problem, const float (&sum)[TM][TN], int first_row,
                                      int first_column) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = first_row + Place::rows_to(i);
    if (!WHOLE && row >= problem.m) continue;
#pragma unroll
    for (int j = 0; j < TN; j += b_width) {
      const int column = first_column + Place::columns_to(j);
      if (!WHOLE && column >= problem.n) continue;
      float* const c = problem.c + static_cast<tuner::int64>(row) * problem.n + column;
      tuner::Pack<float, b_width> values;
#pragma unroll
      for (int v = 0; v < b_width; ++v) values[v] = problem.alpha * sum[i][j + v];
      if (problem.beta != 0) {
        const tuner::Pack<float, b_width> old = tuner::load_pack<b_width>(c);
#pragma unroll
        for (int v = 0; v < b_width; ++v) values[v] += problem.beta * old[v];
      }
      tuner::store_pack(c, values);
    }
  }
}

__device__ __forceinline__ void compute(const Problem& problem) {
  extern __shared__ float stages[];
  int first_row, first_column;
  choose_tile(problem.m, problem.n, first_row, first_column);
  PartOfA a = {problem.a, problem.m, problem.k, first_row, 0};
  PartOfB b = {problem.b, problem.k, problem.n, 0, first_column};
  const int tiles = (problem.k + BK - 1) / BK;

  Copies copies;
  int filled = 0;  // tiles whose copies were started
  int stage_to_fill = 0;
  const auto start_next = [&] {
    copies.start(stages + stage_to_fill * stage_values, a, b, filled < tiles);
    ++filled;
    stage_to_fill = stage_to_fill + 1 == STAGES ? 0 : stage_to_fill + 1;
    a.first_column += BK;
    b.first_row += BK;
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) start_next();
  copies.finish(stages, tiles > 0);
  __syncthreads();

  const Place place;
  Fragments fragments;
  float sum[TM][TN] = {};
  int stage = 0;
  fragments.load(0, stages, 0, place);
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    start_next();
    const float* from = stages + stage * stage_values;
#pragma unroll 1
    for (int first = 0; first < BK; first += UNROLL) {
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {
        int next = first + k + 1;
        // Before the tile's last step the following tile arrives, and behind the barrier nobody needs the stage before
        // this one any more: it is filled next.
        if (k + 1 == UNROLL && next == BK) {
          next = 0;
          stage = stage + 1 == STAGES ? 0 : stage + 1;
          from = stages + stage * stage_values;
          copies.finish(stages + stage * stage_values, tile + 1 < tiles);
          __syncthreads();
        }
        fragments.load(k + 1, from, next, place);
#pragma unroll
        for (int i = 0; i < TM; ++i) {
#pragma unroll
          for (int j = 0; j < TN; ++j) sum[i][j] += fragments.a(k, i) * fragments.b(k, j);
        }
      }
    }
  }
  write(problem, sum, first_row + place.row, first_column + place.column);
}

#endif

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    sgemm(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
  compute(Problem{a, b, c, m, n, k, alpha, beta});
}

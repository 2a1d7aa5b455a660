// C = A B on tensor cores: half numbers, summed and stored as float, through the fragments of wmma.
//
// A block makes a tile of C. It goes through A and B in slices of K_STEP, which lie in shared memory while its warps
// multiply them; a warp has FRAGMENTS_M x FRAGMENTS_N fragments of C in its registers.
//
//   WARPS      of a block, down and across its tile
//   FRAGMENTS  of a warp, likewise: each fragment that it reads of A or B serves a row or a column of them
//   SHAPE_M    of a fragment: 16 x 16, or 8 x 32
//   PAD        numbers behind each row in shared memory, so that rows begin in different banks
//   PIPELINE   none       load a slice, multiply it
//              registers  the next slice is on its way to registers meanwhile, and goes to a second buffer
//              async      it is copied to that buffer past the registers
#include <cuda_fp16.h>
#include <mma.h>
#ifndef TUNER_HOST_EMULATION  // which has these functions without the header
#include <cuda_pipeline_primitives.h>
#endif

#pragma tuner kernel(half_gemm)
#pragma tuner problem(m: size = 4096, n: size = 4096, k: size = 2048)
#pragma tuner problem_constraint(32 <= m <= 1048576 and m % 32 == 0) problem_constraint(32 <= n and n % 32 == 0)
#pragma tuner problem_constraint(n <= 1048576) problem_constraint(8 <= k <= 1048576 and k % 8 == 0)

#pragma tuner param(WARPS_M, 1, 2, 4; default 2) param(WARPS_N, 1, 2, 4; default 2)
#pragma tuner param(FRAGMENTS_M, 1, 2, 4, 8; default 1) param(FRAGMENTS_N, 1, 2, 4; default 1)
#pragma tuner param(SHAPE_M, 8, 16; default 16)
#pragma tuner param(K_STEP, 16, 32, 64; default 16)
#pragma tuner param(PAD, 0, 8; default 0)
#pragma tuner param(PIPELINE, none, registers, async; default none)

// Tiles of 32 x 32 to 256 x 256, at most four times as long as wide. With 16 fragments of sums a thread has 128
// registers for them.
#pragma tuner define(SHAPE_N = SHAPE_M == 16 ? 16 : 32)
#pragma tuner let(THREADS = 32 * WARPS_M * WARPS_N)
#pragma tuner let(TILE_M = SHAPE_M * FRAGMENTS_M * WARPS_M) let(TILE_N = SHAPE_N * FRAGMENTS_N * WARPS_N)
#pragma tuner let(SLICE_BYTES = 2 * (TILE_M * (K_STEP + PAD) + K_STEP * (TILE_N + PAD)))
#pragma tuner constraint(64 <= THREADS <= 256)
#pragma tuner constraint(32 <= TILE_M <= 256 and 32 <= TILE_N <= 256 and TILE_M <= 4 * TILE_N and TILE_N <= 4 * TILE_M)
#pragma tuner constraint(FRAGMENTS_M * FRAGMENTS_N <= 16)
#pragma tuner constraint(PIPELINE != registers || (TILE_M + TILE_N) * K_STEP <= 64 * THREADS)

#pragma tuner grid(ceil_div(n, TILE_N), ceil_div(m, TILE_M)) block(THREADS)
#pragma tuner shared(PIPELINE == none ? SLICE_BYTES : 2 * SLICE_BYTES)
#pragma tuner in(a, half, m * k, uniform(-1, 1)) in(b, half, k * n, uniform(-1, 1))
#pragma tuner out(c, float, m * n, rtol 1e-3, atol 1e-4 * sqrt(k))
#pragma tuner scalar(m, int32) scalar(n, int32) scalar(k, int32)
#pragma tuner work(bytes = 2 * (m + n) * k + 4 * m * n, flops = 2 * m * n * k, type = half)
#pragma tuner reference(plain_half_gemm; grid(ceil_div(n, 32), ceil_div(m, 8)) block(32, 8) shared(0))

#ifndef WARPS_M  // what a bare nvcc compiles: the baseline
#define WARPS_M 2
#define WARPS_N 2
#define FRAGMENTS_M 1
#define FRAGMENTS_N 1
#define SHAPE_M 16
#define SHAPE_N 16
#define K_STEP 16
#define PAD 0
#define PIPELINE_none 0
#define PIPELINE_registers 1
#define PIPELINE_async 2
#define PIPELINE PIPELINE_none
#endif

namespace wmma = nvcuda::wmma;

constexpr int threads = 32 * WARPS_M * WARPS_N;
constexpr int tile_m = SHAPE_M * FRAGMENTS_M * WARPS_M, tile_n = SHAPE_N * FRAGMENTS_N * WARPS_N;
constexpr int pack = 8;  // halves in 16 bytes

extern "C" __global__ void plain_half_gemm(const __half* a, const __half* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    const __half of_a = a[static_cast<long long>(row) * k + i], of_b = b[static_cast<long long>(i) * n + column];
    sum += __half2float(of_a) * __half2float(of_b);
  }
  c[static_cast<long long>(row) * n + column] = sum;
}

// The block's part of A or B in one slice, and the matrix that it is from. Behind the matrix it is zero.
template <int Rows, int Columns>
struct Panel {
  static constexpr int pitch = Columns + PAD, packs = Rows * Columns / pack;
  static constexpr int own = (packs + threads - 1) / threads;  // packs of a thread

  const __half* from;
  int rows, columns;

  // Calls act(number among the thread's own, place in shared memory, address, is it in the matrix).
  template <typename Act>
  __device__ __forceinline__ void each_pack(int first_row, int first_column, Act act) const {
#pragma unroll
    for (int i = 0; i < own; ++i) {
      const int number = i * threads + threadIdx.x;
      if (packs % threads != 0 && number >= packs) break;
      const int y = number / (Columns / pack), x = number % (Columns / pack) * pack;
      const bool inside = first_row + y < rows && first_column + x < columns;
      const long long at = static_cast<long long>(first_row + y) * columns + first_column + x;
      act(i, y * pitch + x, inside ? from + at : from, inside);
    }
  }
  __device__ __forceinline__ void load(uint4 (&kept)[own], int row, int column) const {
    each_pack(row, column, [&](int i, int, const __half* address, bool inside) {
      kept[i] = inside ? *reinterpret_cast<const uint4*>(address) : make_uint4(0, 0, 0, 0);
    });
  }
  __device__ __forceinline__ void put(__half* to, const uint4 (&kept)[own]) const {
    each_pack(0, 0, [&](int i, int place, const __half*, bool) { *reinterpret_cast<uint4*>(to + place) = kept[i]; });
  }
  __device__ __forceinline__ void copy(__half* to, int row, int column) const {
    each_pack(row, column, [&](int, int place, const __half* address, bool inside) {
      __pipeline_memcpy_async(to + place, address, 16, inside ? 0 : 16);
    });
  }
};
using PanelA = Panel<tile_m, K_STEP>;
using PanelB = Panel<K_STEP, tile_n>;
constexpr int begin_of_b = tile_m * PanelA::pitch, slice = begin_of_b + K_STEP * PanelB::pitch;

using Sums = wmma::fragment<wmma::accumulator, SHAPE_M, SHAPE_N, 16, float>;

__device__ __forceinline__ void multiply(Sums (&sums)[FRAGMENTS_M][FRAGMENTS_N], const __half* in_slice) {
  const int warp = threadIdx.x / 32;
  const __half* const a = in_slice + warp / WARPS_N * (FRAGMENTS_M * SHAPE_M) * PanelA::pitch;
  const __half* const b = in_slice + begin_of_b + warp % WARPS_N * (FRAGMENTS_N * SHAPE_N);
#pragma unroll
  for (int step = 0; step < K_STEP; step += 16) {
    wmma::fragment<wmma::matrix_b, SHAPE_M, SHAPE_N, 16, __half, wmma::row_major> of_b[FRAGMENTS_N];
#pragma unroll
    for (int j = 0; j < FRAGMENTS_N; ++j) {
      wmma::load_matrix_sync(of_b[j], b + step * PanelB::pitch + j * SHAPE_N, PanelB::pitch);
    }
#pragma unroll
    for (int i = 0; i < FRAGMENTS_M; ++i) {
      wmma::fragment<wmma::matrix_a, SHAPE_M, SHAPE_N, 16, __half, wmma::row_major> of_a;
      wmma::load_matrix_sync(of_a, a + i * SHAPE_M * PanelA::pitch + step, PanelA::pitch);
#pragma unroll
      for (int j = 0; j < FRAGMENTS_N; ++j) wmma::mma_sync(sums[i][j], of_a, of_b[j], sums[i][j]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads)
    half_gemm(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  extern __shared__ uint4 shared_memory[];
  __half* buffer = reinterpret_cast<__half*>(shared_memory);
  const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n;
  const PanelA panel_a = {a, m, k};
  const PanelB panel_b = {b, k, n};
  Sums sums[FRAGMENTS_M][FRAGMENTS_N];
#pragma unroll
  for (int i = 0; i < FRAGMENTS_M; ++i) {
#pragma unroll
    for (int j = 0; j < FRAGMENTS_N; ++j) wmma::fill_fragment(sums[i][j], 0.0f);
  }

#if PIPELINE == PIPELINE_async
  __half* other = buffer + slice;
  panel_a.copy(buffer, row, 0);
  panel_b.copy(buffer + begin_of_b, 0, column);
  __pipeline_commit();
  for (int at = 0; at < k; at += K_STEP) {
    if (at + K_STEP < k) {
      panel_a.copy(other, row, at + K_STEP);
      panel_b.copy(other + begin_of_b, at + K_STEP, column);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    multiply(sums, buffer);
    __syncthreads();
    __half* const filled = other;
    other = buffer;
    buffer = filled;
  }
#else
  uint4 kept_a[PanelA::own], kept_b[PanelB::own];
  panel_a.load(kept_a, row, 0);
  panel_b.load(kept_b, 0, column);
  for (int at = 0; at < k; at += K_STEP) {
    __half* const now = PIPELINE == PIPELINE_registers && at / K_STEP % 2 == 1 ? buffer + slice : buffer;
    panel_a.put(now, kept_a);
    panel_b.put(now + begin_of_b, kept_b);
    __syncthreads();
#if PIPELINE == PIPELINE_none
    multiply(sums, now);
    __syncthreads();
#endif
    if (at + K_STEP < k) {
      panel_a.load(kept_a, row, at + K_STEP);
      panel_b.load(kept_b, at + K_STEP, column);
    }
#if PIPELINE == PIPELINE_registers
    multiply(sums, now);
#endif
  }
#endif

  const int warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < FRAGMENTS_M; ++i) {
#pragma unroll
    for (int j = 0; j < FRAGMENTS_N; ++j) {
      const int y = row + (warp / WARPS_N * FRAGMENTS_M + i) * SHAPE_M;
      const int x = column + (warp % WARPS_N * FRAGMENTS_N + j) * SHAPE_N;
      float* const to = c + static_cast<long long>(y) * n + x;
      if (y < m && x < n) wmma::store_matrix_sync(to, sums[i][j], n, wmma::mem_row_major);
    }
  }
}

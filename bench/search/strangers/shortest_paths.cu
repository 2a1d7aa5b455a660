// A step of Floyd and Warshall's shortest paths, the one that takes nearly all the time: paths between all n x n pairs
// of nodes may now lead over DEPTH further nodes. distance[i][j] = the least of itself and to[i][k] + onwards[k][j].
//
// A product of matrices with additions and minima in place of products and sums; all of it is integers.
//
//   ROWS     distances of a thread along y, COLUMNS along x
//   LAYOUT   of its columns: apart, BLOCK_X from each other, or near, and then loaded together
//   PIECE    of the further nodes that the block has in shared memory at a time
//   TO       how `to` is kept there: by rows, or turned, so that a thread's rows lie side by side
//   PAD      words behind each row of it
//   BUFFERS  2: the next piece is fetched while this one is used
//   UNROLL   further nodes of a round of the loop
//   MINIMUM  apart from the addition, or in one instruction with it (DPX)
#pragma tuner kernel(shortest_paths)
#pragma tuner problem(n : size = 4096, DEPTH : constant = 64)
#pragma tuner problem_constraint(4 <= n <= 32768 && n % 4 == 0) problem_constraint(DEPTH in (32, 64, 128))

#pragma tuner param(BLOCK_X, 16, 32; default 16)
#pragma tuner param(BLOCK_Y, 4, 8, 16; default 16)
#pragma tuner param(ROWS, 1, 2, 4, 8; default 1)
#pragma tuner param(COLUMNS, 1, 2, 4, 8; default 1)
#pragma tuner param(LAYOUT, apart, near; default apart)
#pragma tuner param(PIECE, 8, 16, 32; default 16)
#pragma tuner param(TO, rows, turned; default rows)
#pragma tuner param(PAD, 0, 4; default 0)
#pragma tuner param(BUFFERS, 1, 2; default 1)
#pragma tuner param(UNROLL, 1, 4, 8; default 1)
#pragma tuner param(MINIMUM, separate, joined; default separate)

// Tiles are nearly square. A thread has 8 to 32 distances, but for those that have one; near ones are whole vectors.
// Fetching ahead takes registers, at most 16.
#pragma tuner let(TILE_X = BLOCK_X * COLUMNS)
#pragma tuner let(TILE_Y = BLOCK_Y * ROWS)
#pragma tuner let(THREADS = BLOCK_X * BLOCK_Y)
#pragma tuner constraint(64 <= THREADS <= 256)
#pragma tuner constraint(ROWS * COLUMNS == 1 || 8 <= ROWS * COLUMNS <= 32)
#pragma tuner constraint(TILE_X <= 4 * TILE_Y && TILE_Y <= 2 * TILE_X)
#pragma tuner constraint(LAYOUT == apart || COLUMNS >= 4)
#pragma tuner constraint(TO == turned || PAD == 0 || PIECE <= 16)
#pragma tuner constraint(TO == rows || ROWS >= 4)
#pragma tuner constraint(UNROLL == 8 || UNROLL == 4 || ROWS * COLUMNS == 1)
#pragma tuner constraint((TILE_X + TILE_Y) * PIECE % THREADS == 0)
#pragma tuner constraint(TILE_X * PIECE % THREADS == 0 && TILE_Y * PIECE % THREADS == 0)
#pragma tuner constraint(BUFFERS == 1 || (TILE_X + TILE_Y) * PIECE <= 16 * THREADS)
#pragma tuner let(TO_WORDS = TILE_Y * (PIECE + PAD) if TO == rows else PIECE * (TILE_Y + PAD))
#pragma tuner constraint(4 * BUFFERS * (TO_WORDS + PIECE * TILE_X) <= 49152)

#pragma tuner grid(ceil_div(n, TILE_X), ceil_div(n, TILE_Y)) block(BLOCK_X, BLOCK_Y)
#pragma tuner inout(distance, int32, n * n, uniform(1000, 2000)) in(to, int32, n * DEPTH, uniform(1, 4000))
#pragma tuner in(onwards, int32, DEPTH * n, uniform(1, 4000)) scalar(n, int32)
#pragma tuner work(bytes = 8 * n * n + 8 * n * DEPTH)

#ifndef BLOCK_X  // what a bare nvcc compiles: the baseline
#define DEPTH 64
#define BLOCK_X 16
#define BLOCK_Y 16
#define ROWS 1
#define COLUMNS 1
#define LAYOUT_apart 0
#define LAYOUT_near 1
#define LAYOUT LAYOUT_apart
#define PIECE 16
#define TO_rows 0
#define TO_turned 1
#define TO TO_rows
#define PAD 0
#define BUFFERS 1
#define UNROLL 1
#define MINIMUM_separate 0
#define MINIMUM_joined 1
#define MINIMUM MINIMUM_separate
#endif

constexpr int unroll = UNROLL;  // nvcc expands no macros in `#pragma unroll`
constexpr int threads = BLOCK_X * BLOCK_Y, tile_x = BLOCK_X * COLUMNS, tile_y = BLOCK_Y * ROWS;
constexpr int to_share = tile_y * PIECE / threads, onwards_share = tile_x * PIECE / threads;
constexpr int to_words = TO == TO_rows ? tile_y * (PIECE + PAD) : PIECE * (tile_y + PAD);
constexpr int far = 1 << 29;  // farther than any path

__device__ __forceinline__ int least(int path, int to, int onwards) {
#if MINIMUM == MINIMUM_joined && !defined(TUNER_HOST_EMULATION)
  return __viaddmin_s32(to, onwards, path);
#else
  return min(path, to + onwards);
#endif
}

// What a block has of the two matrices in shared memory, and a thread's share of what it will have next.
struct Piece {
  int* to;
  int* onwards;

  __device__ __forceinline__ int& to_at(int row, int k) const {
    return TO == TO_rows ? to[row * (PIECE + PAD) + k] : to[k * (tile_y + PAD) + row];
  }
};

struct Share {
  int to[to_share], onwards[onwards_share];

  __device__ __forceinline__ void load(const int* to_all, const int* onwards_all, int n, int k, int thread) {
    const int first_row = blockIdx.y * tile_y, first_column = blockIdx.x * tile_x;
#pragma unroll
    for (int s = 0; s < to_share; ++s) {
      const int i = s * threads + thread, row = first_row + i / PIECE;
      to[s] = row < n ? __ldg(to_all + row * DEPTH + k + i % PIECE) : far;
    }
#pragma unroll
    for (int s = 0; s < onwards_share; ++s) {
      const int i = s * threads + thread, column = first_column + i % tile_x;
      onwards[s] = column < n ? __ldg(onwards_all + (k + i / tile_x) * n + column) : far;
    }
  }

  __device__ __forceinline__ void store(const Piece& piece, int thread) const {
#pragma unroll
    for (int s = 0; s < to_share; ++s) {
      const int i = s * threads + thread;
      piece.to_at(i / PIECE, i % PIECE) = to[s];
    }
#pragma unroll
    for (int s = 0; s < onwards_share; ++s) piece.onwards[s * threads + thread] = onwards[s];
  }
};

// Column c of a thread, in its tile.
__device__ __forceinline__ int column_of(int c) {
#if LAYOUT == LAYOUT_near
  return threadIdx.x * 4 + c / 4 * (4 * BLOCK_X) + c % 4;
#else
  return threadIdx.x + c * BLOCK_X;
#endif
}

__device__ __forceinline__ void shorten(int (&path)[ROWS][COLUMNS], const Piece& piece) {
#pragma unroll unroll
  for (int k = 0; k < PIECE; ++k) {
    int onwards[COLUMNS];
#if LAYOUT == LAYOUT_near
#pragma unroll
    for (int c = 0; c < COLUMNS; c += 4) {
      const int4 four = *reinterpret_cast<const int4*>(piece.onwards + k * tile_x + column_of(c));
      onwards[c] = four.x, onwards[c + 1] = four.y, onwards[c + 2] = four.z, onwards[c + 3] = four.w;
    }
#else
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) onwards[c] = piece.onwards[k * tile_x + column_of(c)];
#endif
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int to = piece.to_at(threadIdx.y * ROWS + r, k);
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) path[r][c] = least(path[r][c], to, onwards[c]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    shortest_paths(int* __restrict__ distance, const int* __restrict__ to, const int* __restrict__ onwards, int n) {
  __shared__ __align__(16) int to_shared[BUFFERS][to_words];
  __shared__ __align__(16) int onwards_shared[BUFFERS][PIECE * tile_x];
  const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  const int first_row = blockIdx.y * tile_y + threadIdx.y * ROWS, first_column = blockIdx.x * tile_x;

  int path[ROWS][COLUMNS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      path[r][c] = far;
      const int row = first_row + r, column = first_column + column_of(c);
      if (row < n && column < n) path[r][c] = distance[static_cast<long long>(row) * n + column];
    }
  }

  Share share;
#if BUFFERS == 2
  share.load(to, onwards, n, 0, thread);
  share.store({to_shared[0], onwards_shared[0]}, thread);
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < DEPTH; k += PIECE) {
    const int now = k / PIECE % 2;
    if (k + PIECE < DEPTH) share.load(to, onwards, n, k + PIECE, thread);
    shorten(path, {to_shared[now], onwards_shared[now]});
    if (k + PIECE < DEPTH) share.store({to_shared[1 - now], onwards_shared[1 - now]}, thread);
    __syncthreads();
  }
#else
#pragma unroll 1
  for (int k = 0; k < DEPTH; k += PIECE) {
    share.load(to, onwards, n, k, thread);
    __syncthreads();
    share.store({to_shared[0], onwards_shared[0]}, thread);
    __syncthreads();
    shorten(path, {to_shared[0], onwards_shared[0]});
  }
#endif

#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      const int row = first_row + r, column = first_column + column_of(c);
      if (row >= n || column >= n) continue;
      distance[static_cast<long long>(row) * n + column] = path[r][c];
    }
  }
}

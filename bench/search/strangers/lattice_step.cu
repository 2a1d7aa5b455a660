// A step of a fluid on a lattice of nx x ny cells (Boltzmann's D2Q9): a cell gets what its neighbours sent towards it,
// and each of its nine densities moves towards that of a fluid at rest with itself. Beyond an edge lies the other one.
//
// after[q][y][x] comes from before[q][y - dy][x - dx]; the nine planes lie one after the other.
//
//   ROWS    rows that a thread has, BLOCK_Y apart
//   ORDER   together  all densities of its cells are loaded first
//           cells     one cell after the other
//   LOAD    `streaming` leaves the caches to the next kernel; STORE likewise
//   DIVIDE  fast: by an approximate reciprocal
//   BLOCKS  of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(lattice_step)
#pragma tuner problem(nx : size = 4096, ny : size = 2048, omega : exact = 1.2)
#pragma tuner problem_constraint(1 <= nx <= 16384) problem_constraint(1 <= ny <= 16384)
#pragma tuner problem_constraint(0 < omega < 2)

#pragma tuner param(BLOCK_X, 32, 64, 128, 256; default 32)
#pragma tuner param(BLOCK_Y, 1, 2, 4, 8; default 8)
#pragma tuner param(ROWS, 1, 2, 4; default 1)
#pragma tuner param(ORDER, cells, together; default cells)
#pragma tuner param(LOAD, plain, streaming; default plain)
#pragma tuner param(STORE, plain, streaming; default plain)
#pragma tuner param(DIVIDE, exact, fast; default exact)
#pragma tuner param(BLOCKS, 0, 2, 4; default 0)

#pragma tuner constraint(64 <= BLOCK_X * BLOCK_Y <= 512)
#pragma tuner constraint(ORDER == cells || ROWS == 2)
#pragma tuner constraint(BLOCKS * BLOCK_X * BLOCK_Y <= 1024 && (BLOCKS == 0 || ROWS >= 2))

#pragma tuner grid(ceil_div(nx, BLOCK_X), ceil_div(ny, BLOCK_Y * ROWS)) block(BLOCK_X, BLOCK_Y)
#pragma tuner in(before, float, 9 * nx * ny, uniform(0.1, 0.12)) out(after, float, 9 * nx * ny)
#pragma tuner scalar(nx, int32) scalar(ny, int32) scalar(omega, float)
#pragma tuner work(bytes = 72 * nx * ny, flops = 100 * nx * ny, type = float)

#ifndef BLOCK_X  // what a bare nvcc compiles: the baseline
#define BLOCK_X 32
#define BLOCK_Y 8
#define ROWS 1
#define ORDER_cells 0
#define ORDER_together 1
#define ORDER ORDER_cells
#define LOAD_plain 0
#define LOAD_streaming 1
#define LOAD LOAD_plain
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#define DIVIDE_exact 0
#define DIVIDE_fast 1
#define DIVIDE DIVIDE_exact
#define BLOCKS 0
#endif

// Where the densities of each number go: nowhere, along an axis, or diagonally.
__device__ __forceinline__ constexpr int dx_of(int q) {
  return q == 1 || q == 5 || q == 8 ? 1 : q == 3 || q == 6 || q == 7 ? -1 : 0;
}
__device__ __forceinline__ constexpr int dy_of(int q) {
  return q == 2 || q == 5 || q == 6 ? 1 : q == 4 || q == 7 || q == 8 ? -1 : 0;
}

struct Cell {
  float density[9];

  __device__ __forceinline__ void load(const float* before, int x, int y, int nx, int ny) {
    const int left = x == 0 ? nx - 1 : x - 1, right = x == nx - 1 ? 0 : x + 1;
    const int above = y == 0 ? ny - 1 : y - 1, below = y == ny - 1 ? 0 : y + 1;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
      const int from_x = dx_of(q) > 0 ? left : dx_of(q) < 0 ? right : x;
      const int from_y = dy_of(q) > 0 ? above : dy_of(q) < 0 ? below : y;
      const float* const from = before + (static_cast<long long>(q) * ny + from_y) * nx + from_x;
#if LOAD == LOAD_streaming
      density[q] = __ldcs(from);
#else
      density[q] = __ldg(from);
#endif
    }
  }

  __device__ __forceinline__ void collide(float omega) {
    float sum = 0, to_x = 0, to_y = 0;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
      sum += density[q];
      to_x += dx_of(q) * density[q];
      to_y += dy_of(q) * density[q];
    }
#if DIVIDE == DIVIDE_fast
    const float scale = __fdividef(1.0f, sum);
#else
    const float scale = 1 / sum;
#endif
    const float ux = to_x * scale, uy = to_y * scale;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
      const float weight = q == 0 ? 4.0f / 9 : q < 5 ? 1.0f / 9 : 1.0f / 36;
      const float along = 3 * (dx_of(q) * ux + dy_of(q) * uy);
      const float rest = weight * sum * (1 + along + 0.5f * along * along - 1.5f * (ux * ux + uy * uy));
      density[q] += omega * (rest - density[q]);
    }
  }

  __device__ __forceinline__ void store(float* after, int x, int y, int nx, int ny) const {
#pragma unroll
    for (int q = 0; q < 9; ++q) {
      float* const to = after + (static_cast<long long>(q) * ny + y) * nx + x;
#if STORE == STORE_streaming
      __stcs(to, density[q]);
#else
      *to = density[q];
#endif
    }
  }
};

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y)
#endif

extern "C" __global__ void BOUNDS lattice_step(const float* __restrict__ before, float* __restrict__ after, int nx,
                                               int ny, float omega) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x, first = blockIdx.y * (BLOCK_Y * ROWS) + threadIdx.y;
  if (x >= nx) return;
#if ORDER == ORDER_together
  Cell cells[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (first + r * BLOCK_Y < ny) cells[r].load(before, x, first + r * BLOCK_Y, nx, ny);
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (first + r * BLOCK_Y < ny) {
      cells[r].collide(omega);
      cells[r].store(after, x, first + r * BLOCK_Y, nx, ny);
    }
  }
#else
#pragma unroll 1
  for (int r = 0; r < ROWS; ++r) {
    const int y = first + r * BLOCK_Y;
    if (y >= ny) return;
    Cell cell;
    cell.load(before, x, y, nx, ny);
    cell.collide(omega);
    cell.store(after, x, y, nx, ny);
  }
#endif
}

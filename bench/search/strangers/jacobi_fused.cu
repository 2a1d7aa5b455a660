// STEPS of Jacobi's iteration for Poisson's equation in one launch: each cell becomes the mean of its four neighbours,
// plus its source, so many times. What lies beyond an edge is zero.
//
// A block has a region of BLOCK_X x (BLOCK_Y * ROWS) cells, STEPS more on each side than it stores: those at its rim
// are wrong after the first step, and the wrong ones come in by one cell a step.
//
//   ROWS    cells of a thread, one below the other
//   KEEP    double_buffer  cells lie in shared memory twice: a step reads the one and writes the other
//           single_buffer  once; threads write when all have read
//           column         twice, and threads keep their cells in registers too, and read only those beside them
//           shuffle        in registers; a warp exchanges them, and shared memory has those at the ends of a thread
//   AREA    all     each step computes the whole region
//           shrink  only cells that can be right yet
//   SOURCE  kept in registers, or read anew in each step
//   STORE   `streaming` leaves the caches to others
//   BLOCKS  of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(jacobi_fused)
#pragma tuner problem(nx : size = 4096, ny : size = 4096, STEPS : constant = 4)
#pragma tuner problem_constraint(1 <= nx <= 32768) problem_constraint(1 <= ny <= 32768)
#pragma tuner problem_constraint(1 <= STEPS <= 8)

#pragma tuner param(BLOCK_X, 32, 64, 128; default 32)
#pragma tuner param(BLOCK_Y, 1, 2, 4, 8, 16, 32; default 16)
#pragma tuner param(ROWS, 1, 2, 4, 8, 16; default 1)
#pragma tuner param(KEEP, double_buffer, single_buffer, column, shuffle; default double_buffer)
#pragma tuner param(AREA, all, shrink; default all)
#pragma tuner param(SOURCE, kept, read; default kept)
#pragma tuner param(STORE, plain, streaming; default plain)
#pragma tuner param(BLOCKS, 0, 2, 4; default 0)

#pragma tuner let(THREADS = BLOCK_X * BLOCK_Y)
#pragma tuner let(HEIGHT = BLOCK_Y * ROWS)
#pragma tuner constraint(64 <= THREADS <= 1024)
#pragma tuner constraint(BLOCK_X > 2 * STEPS && 4 * STEPS <= HEIGHT <= 128)
#pragma tuner constraint(KEEP != shuffle || BLOCK_X == 32)
#pragma tuner constraint(KEEP not in (column, shuffle) || ROWS > 1)
#pragma tuner constraint(AREA == all || KEEP in (double_buffer, single_buffer))
#pragma tuner constraint(BLOCKS * THREADS <= 1024 && (BLOCKS == 0 || ROWS >= 4))
#pragma tuner constraint(SOURCE == kept || ROWS >= 4)
#pragma tuner let(ROWS_SHARED = 4 * BLOCK_Y if KEEP == shuffle else (HEIGHT if KEEP == single_buffer else 2 * HEIGHT))
#pragma tuner constraint(4 * ROWS_SHARED * BLOCK_X <= 49152)

#pragma tuner grid(ceil_div(nx, BLOCK_X - 2 * STEPS), ceil_div(ny, HEIGHT - 2 * STEPS)) block(BLOCK_X, BLOCK_Y)
#pragma tuner in(before, float, nx * ny, uniform(0, 1)) in(source, float, nx * ny, uniform(0, 0.1))
#pragma tuner out(after, float, nx * ny) scalar(nx, int32) scalar(ny, int32)
#pragma tuner work(bytes = 12 * nx * ny, flops = 5 * STEPS * nx * ny, type = float)

#ifndef BLOCK_X  // what a bare nvcc compiles: the baseline
#define STEPS 4
#define BLOCK_X 32
#define BLOCK_Y 16
#define ROWS 1
#define KEEP_double_buffer 0
#define KEEP_single_buffer 1
#define KEEP_column 2
#define KEEP_shuffle 3
#define KEEP KEEP_double_buffer
#define AREA_all 0
#define AREA_shrink 1
#define AREA AREA_all
#define SOURCE_kept 0
#define SOURCE_read 1
#define SOURCE SOURCE_kept
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#define BLOCKS 0
#endif

constexpr int height = BLOCK_Y * ROWS;

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y)
#endif

extern "C" __global__ void BOUNDS jacobi_fused(const float* __restrict__ before, const float* __restrict__ source,
                                               float* __restrict__ after, int nx, int ny) {
  const int column = threadIdx.x, first_row = threadIdx.y * ROWS;
  const int x = blockIdx.x * (BLOCK_X - 2 * STEPS) + column - STEPS;
  const int first_y = blockIdx.y * (height - 2 * STEPS) + first_row - STEPS;
  const auto inside = [&](int r) { return 0 <= x && x < nx && 0 <= first_y + r && first_y + r < ny; };
  const auto at = [&](int r) { return static_cast<long long>(first_y + r) * nx + x; };

#if KEEP == KEEP_shuffle
  __shared__ float ends[2][2][BLOCK_Y][BLOCK_X];  // the upper and the lower cell of each thread
#elif KEEP == KEEP_single_buffer
  __shared__ float cells[1][height][BLOCK_X];
#else
  __shared__ float cells[2][height][BLOCK_X];
#endif

  float own[ROWS];
#if SOURCE == SOURCE_kept
  float source_of[ROWS];
#endif
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    own[r] = inside(r) ? __ldg(before + at(r)) : 0.0f;
#if SOURCE == SOURCE_kept
    source_of[r] = inside(r) ? __ldg(source + at(r)) : 0.0f;
#endif
#if KEEP != KEEP_shuffle
    cells[0][first_row + r][column] = own[r];
#endif
  }

  // Whatever is beyond the region may be anything, so the nearest cell in it will do.
  const int left = max(column - 1, 0), right = min(column + 1, BLOCK_X - 1);
  const int row_above = max(first_row - 1, 0), row_below = min(first_row + ROWS, height - 1);
#pragma unroll 1
  for (int step = 0; step < STEPS; ++step) {
    float next[ROWS];
#if KEEP == KEEP_shuffle
    ends[step % 2][0][threadIdx.y][column] = own[0];
    ends[step % 2][1][threadIdx.y][column] = own[ROWS - 1];
    __syncthreads();
    const float above = ends[step % 2][1][max(static_cast<int>(threadIdx.y) - 1, 0)][column];
    const float below = ends[step % 2][0][min(static_cast<int>(threadIdx.y) + 1, BLOCK_Y - 1)][column];
#else
    const auto& now = cells[KEEP == KEEP_single_buffer ? 0 : step % 2];
    __syncthreads();
#endif
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#if AREA == AREA_shrink
      next[r] = 0;
      const int rim = step + 1;
      if (column < rim || column >= BLOCK_X - rim || first_row + r < rim || first_row + r >= height - rim) continue;
#endif
#if SOURCE == SOURCE_kept
      const float added = source_of[r];
#else
      const float added = inside(r) ? __ldg(source + at(r)) : 0.0f;
#endif
#if KEEP == KEEP_shuffle
      const float of_left = __shfl_up_sync(0xffffffffu, own[r], 1), of_right = __shfl_down_sync(0xffffffffu, own[r], 1);
      const float of_above = r == 0 ? above : own[max(r - 1, 0)];
      const float of_below = r == ROWS - 1 ? below : own[min(r + 1, ROWS - 1)];
#else
      const float of_left = now[first_row + r][left], of_right = now[first_row + r][right];
#if KEEP == KEEP_column
      const float of_above = r == 0 ? now[row_above][column] : own[max(r - 1, 0)];
      const float of_below = r == ROWS - 1 ? now[row_below][column] : own[min(r + 1, ROWS - 1)];
#else
      const float of_above = now[r == 0 ? row_above : first_row + r - 1][column];
      const float of_below = now[r == ROWS - 1 ? row_below : first_row + r + 1][column];
#endif
#endif
      next[r] = inside(r) ? 0.25f * (of_left + of_right + of_above + of_below) + added : 0.0f;
    }
#if KEEP == KEEP_single_buffer
    __syncthreads();
#endif
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      own[r] = next[r];
#if KEEP != KEEP_shuffle
      cells[KEEP == KEEP_single_buffer ? 0 : 1 - step % 2][first_row + r][column] = next[r];
#endif
    }
  }

  if (column < STEPS || column >= BLOCK_X - STEPS) return;
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (first_row + r < STEPS || first_row + r >= height - STEPS || !inside(r)) continue;
#if STORE == STORE_streaming
    __stcs(after + at(r), own[r]);
#else
    after[at(r)] = own[r];
#endif
  }
}

// The transpose of a matrix: output[column][row] = input[row][column].
//
// Whatever a thread does, either its reads or its writes lie `rows` or `columns` values apart, and memory moves whole
// sectors of 32 bytes: directly written, the transpose wastes most of what it moves. A tile of shared memory lets a
// warp read along rows and write along columns. What is then left to decide:
//
//   TILE_ROWS, TILE_COLUMNS  how many bytes lie together in memory for each row of a tile, when written and when read
//   WIDTH                    each thread moves WIDTH x WIDTH values at a time: WIDTH rows in one load each, exchanged
//                            in its registers, then one store for each column
//   LAYOUT                   where a tile's column lands in shared memory. A warp writes one pack to each of many
//                            columns and reads whole columns: `plain` puts those packs into the same banks; `padded`
//                            leaves one pack free behind every WIDTH columns; `swizzled` permutes the packs of a
//                            column instead, which costs no memory; `none` writes directly, without shared memory
//   ORDER                    which tile a block takes: along rows, along columns, along diagonals, or in strips of 16
//                            rows of tiles, so that the tiles under way at a time form a square
#include "tuner_device.cuh"

#pragma tuner kernel(transpose)
#pragma tuner problem(rows: size = 16384, columns: size = 16384, TYPE: constant = float)
#pragma tuner problem_constraint(1 <= rows <= 1048576) problem_constraint(1 <= columns <= 1048576)
#pragma tuner problem_constraint(TYPE in (float, double))

#pragma tuner param(TILE_ROWS, 32, 64, 128; default 32)
#pragma tuner param(TILE_COLUMNS, 32, 64, 128; default 32)
#pragma tuner param(THREADS, 128, 256, 512; default 256)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(LAYOUT, none, plain, padded, swizzled; default none)
#pragma tuner param(ORDER, along_rows, along_columns, diagonal, strips; default along_rows)
#pragma tuner param(STORE, plain, streaming; default plain)

// Every thread has 1 to 8 squares of WIDTH x WIDTH values to move, 4 to 64 values; a load is at most 16 bytes. Where
// nothing is exchanged in shared memory, a tile is just a number of threads side by side, and half-written sectors must
// stay in L2 until the other half comes. The layouts and orders that are there to be compared need no other choices.
#pragma tuner let(SQUARES = TILE_ROWS * TILE_COLUMNS // (WIDTH * WIDTH * THREADS))
#pragma tuner let(PACKS = TILE_ROWS // WIDTH * TILE_COLUMNS)
#pragma tuner let(PADS = LAYOUT == padded ? TILE_COLUMNS // WIDTH : 0)
#pragma tuner let(TILE_BYTES = LAYOUT == none ? 0 : (PACKS + PADS) * WIDTH * sizeof(TYPE))
#pragma tuner define(ALIGNED = rows % WIDTH == 0 && columns % WIDTH == 0)
#pragma tuner constraint(WIDTH * sizeof(TYPE) <= 16)
#pragma tuner constraint(1 <= SQUARES <= 8 and 4 <= SQUARES * WIDTH * WIDTH <= 64)
#pragma tuner constraint(TILE_BYTES <= max_shared_per_block)
#pragma tuner constraint(LAYOUT != none || TILE_ROWS == TILE_COLUMNS && TILE_ROWS == (WIDTH == 1 ? 32 : 64))
#pragma tuner constraint(LAYOUT != none || STORE == plain)
#pragma tuner constraint(LAYOUT in (none, padded, swizzled) || ORDER == along_rows)
#pragma tuner constraint(ORDER not in (along_columns, diagonal) || STORE == plain)

#pragma tuner grid(ceil_div(rows, TILE_ROWS) * ceil_div(columns, TILE_COLUMNS)) block(THREADS) shared(TILE_BYTES)
#pragma tuner in(input, TYPE, rows * columns) out(output, TYPE, rows * columns, rtol 0, atol 0)
#pragma tuner scalar(rows, int32) scalar(columns, int32)
#pragma tuner work(bytes = 2 * sizeof(TYPE) * rows * columns)

// What a bare nvcc compiles: the baseline.
#ifndef TYPE
#define TYPE float
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 32
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef ALIGNED
#define ALIGNED 0  // 1: rows and columns are whole numbers of packs
#endif
#ifndef LAYOUT
#define LAYOUT_none 0
#define LAYOUT_plain 1
#define LAYOUT_padded 2
#define LAYOUT_swizzled 3
#define LAYOUT LAYOUT_none
#endif
#ifndef ORDER
#define ORDER_along_rows 0
#define ORDER_along_columns 1
#define ORDER_diagonal 2
#define ORDER_strips 3
#define ORDER ORDER_along_rows
#endif
#ifndef STORE
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#endif

// A tile in squares: row s / squares_in_row of squares, and so on.
constexpr int squares_in_row = TILE_COLUMNS / WIDTH;
constexpr int squares_in_column = TILE_ROWS / WIDTH;
constexpr int squares_of_thread = squares_in_row * squares_in_column / THREADS;
static_assert(squares_in_row * squares_in_column % THREADS == 0, "every thread moves the same number of squares");

using Packed = tuner::Pack<TYPE, WIDTH>;

struct Matrix {
  int rows, columns;
};

// WIDTH neighbours in a row, from the matrix or into it. What lies outside is not touched.
__device__ __forceinline__ Packed load(const TYPE* from, Matrix shape, int row, int column) {
  Packed pack = {};
  if (row >= shape.rows) return pack;
  const TYPE* first = from + static_cast<tuner::int64>(row) * shape.columns + column;
#if ALIGNED
  if (column < shape.columns) pack = tuner::load_pack<WIDTH>(first);
#else
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) {
    if (column + i < shape.columns) pack[i] = first[i];
  }
#endif
  return pack;
}
__device__ __forceinline__ void store(TYPE* to, Matrix shape, int row, int column, const Packed& pack) {
  if (row >= shape.rows) return;
  TYPE* first = to + static_cast<tuner::int64>(row) * shape.columns + column;
#if ALIGNED && STORE == STORE_streaming
  if (column < shape.columns) tuner::store_pack_streaming(first, pack);
#elif ALIGNED
  if (column < shape.columns) tuner::store_pack(first, pack);
#else
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) {
    if (column + i < shape.columns) first[i] = pack[i];
  }
#endif
}

// Row and column of the block's tile, counted in tiles.
__device__ __forceinline__ void choose_tile(int tiles_down, int tiles_across, int& tile_row, int& tile_column) {
  const int block = blockIdx.x;
#if ORDER == ORDER_along_rows
  tile_row = block / tiles_across;
  tile_column = block % tiles_across;
#elif ORDER == ORDER_along_columns
  tile_row = block % tiles_down;
  tile_column = block / tiles_down;
#elif ORDER == ORDER_diagonal
  tile_row = block % tiles_down;
  tile_column = (block / tiles_down + tile_row) % tiles_across;
#else
  constexpr int height = 16;
  const int strip = block / (height * tiles_across);
  const int in_strip = block % (height * tiles_across);
  const int rows_in_strip = min(height, tiles_down - strip * height);
  tile_row = strip * height + in_strip % rows_in_strip;
  tile_column = in_strip / rows_in_strip;
#endif
}

#if LAYOUT != LAYOUT_none
// Where a column's `pack`-th pack is kept.
__device__ __forceinline__ Packed* in_tile(int column, int pack) {
  extern __shared__ Packed packs[];
#if LAYOUT == LAYOUT_padded
  return packs + column * squares_in_column + column / WIDTH + pack;
#elif LAYOUT == LAYOUT_swizzled
  return packs + column * squares_in_column + (pack ^ (column / WIDTH % squares_in_column));
#else
  return packs + column * squares_in_column + pack;
#endif
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(const TYPE* __restrict__ input, TYPE* __restrict__ output, int rows, int columns) {
  const int tiles_down = (rows + TILE_ROWS - 1) / TILE_ROWS;
  const int tiles_across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  int tile_row, tile_column;
  choose_tile(tiles_down, tiles_across, tile_row, tile_column);
  const int first_row = tile_row * TILE_ROWS;
  const int first_column = tile_column * TILE_COLUMNS;
  const Matrix in = {rows, columns};
  const Matrix out = {columns, rows};

  // All loads come first, so that they are under way together.
  Packed square[squares_of_thread][WIDTH];
#pragma unroll
  for (int s = 0; s < squares_of_thread; ++s) {
    const int number = threadIdx.x + s * THREADS;
    const int row = number / squares_in_row * WIDTH;
    const int column = number % squares_in_row * WIDTH;
#pragma unroll
    for (int r = 0; r < WIDTH; ++r) square[s][r] = load(input, in, first_row + row + r, first_column + column);
  }
#pragma unroll
  for (int s = 0; s < squares_of_thread; ++s) {
    const int number = threadIdx.x + s * THREADS;
    const int row = number / squares_in_row * WIDTH;
    const int column = number % squares_in_row * WIDTH;
#pragma unroll
    for (int c = 0; c < WIDTH; ++c) {
      Packed down;
#pragma unroll
      for (int r = 0; r < WIDTH; ++r) down[r] = square[s][r][c];
#if LAYOUT == LAYOUT_none
      store(output, out, first_column + column + c, first_row + row, down);
#else
      *in_tile(column + c, row / WIDTH) = down;
#endif
    }
  }
#if LAYOUT != LAYOUT_none
  __syncthreads();
  constexpr int packs_of_thread = squares_of_thread * WIDTH;
#pragma unroll
  for (int p = 0; p < packs_of_thread; ++p) {
    const int number = threadIdx.x + p * THREADS;
    const int column = number / squares_in_column;
    const int pack = number % squares_in_column;
    store(output, out, first_column + column, first_row + pack * WIDTH, *in_tile(column, pack));
  }
#endif
}

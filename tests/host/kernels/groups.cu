// One product of a small matrix with its transpose, by everything that has a counterpart on the CPU, and by one thing
// that has none.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <cuda_fp16.h>
#include <mma.h>

#pragma tuner kernel(groups)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000)
#pragma tuner param(WAY, plain, matrix, tiles, blocks, warps, whole_grid; default plain)
#pragma tuner grid(n) block(64)
#pragma tuner in(x, half, 256) out(y, float, n * 256)

__global__ void groups(const half* x, float* y) {
  y += blockIdx.x * 256;
#if WAY == WAY_matrix
  using namespace nvcuda::wmma;
  if (threadIdx.x >= 32) return;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.0f);
  load_matrix_sync(a, x, 16);
  load_matrix_sync(b, x, 16);
  mma_sync(c, a, b, c);
  store_matrix_sync(y, c, 16, mem_row_major);
#elif WAY == WAY_tiles
  namespace cg = cooperative_groups;
  const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int k = tile.thread_rank();
  for (int i = tile.meta_group_rank(); i < 256; i += tile.meta_group_size()) {
    const float product = float(x[i / 16 * 16 + k]) * float(x[i % 16 * 16 + k]);
    const float sum = cg::reduce(tile, product, cg::plus<float>());
    if (k == 0) y[i] = sum;
  }
#elif WAY == WAY_blocks
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage room;
  const int k = threadIdx.x;
  for (int i = 0; i < 256; ++i) {
    const float product = k < 16 ? float(x[i / 16 * 16 + k]) * float(x[i % 16 * 16 + k]) : 0.0f;
    const float sum = Reduce(room).Sum(product);
    if (k == 0) y[i] = sum;
    __syncthreads();
  }
#elif WAY == WAY_warps
  using Scan = cub::BlockScan<int, 64>;
  using Reduce = cub::WarpReduce<float, 16>;
  __shared__ typename Scan::TempStorage scan_room;
  __shared__ typename Reduce::TempStorage room[4];
  int place = 0;  // its own number
  Scan(scan_room).ExclusiveSum(1, place);
  const int k = place % 16;
  for (int i = place / 16; i < 256; i += 4) {
    const float sum = Reduce(room[place / 16]).Sum(float(x[i / 16 * 16 + k]) * float(x[i % 16 * 16 + k]));
    if (k == 0) y[i] = sum;
  }
#else
#if WAY == WAY_whole_grid
  cooperative_groups::this_grid().sync();
#endif
  for (int i = threadIdx.x; i < 256; i += 64) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += float(x[i / 16 * 16 + k]) * float(x[i % 16 * 16 + k]);
    y[i] = sum;
  }
#endif
}

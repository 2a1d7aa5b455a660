// Sums of tiles with cooperative groups, whose headers take far longer to compile than the kernel does. Its 440
// configurations show how long a session takes that waits for compilers:
//
//   tuner tune bench/cooperative_groups.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#pragma tuner kernel(tile_sums)
#pragma tuner problem(n: size = 67108864)
#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 256)
#pragma tuner param(TILE, 4, 8, 16, 32; default 32)
#pragma tuner param(ITEMS, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16; default 1)
#pragma tuner param(STRIDED, 0, 1; default 1)

#pragma tuner let(SHARE = BLOCKDIMX * ITEMS)
#pragma tuner let(BLOCKS = ceil_div(n, SHARE))
#pragma tuner grid(BLOCKS) block(BLOCKDIMX)
#pragma tuner in(values, float, n, uniform(0, 1))
#pragma tuner inout(total, float, 256, constant(0), rtol 1e-3)
#pragma tuner scalar(n, int64)
#pragma tuner work(bytes = 4 * n)

namespace cg = cooperative_groups;

extern "C" __global__ void __launch_bounds__(BLOCKDIMX) tile_sums(const float* values, float* total, long long n) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<TILE> tile = cg::tiled_partition<TILE>(block);
  const long long begin = static_cast<long long>(blockIdx.x) * BLOCKDIMX * ITEMS;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const long long at = begin + (STRIDED ? i * BLOCKDIMX + threadIdx.x : threadIdx.x * ITEMS + i);
    if (at < n) sum += values[at];
  }
  sum = cg::reduce(tile, sum, cg::plus<float>());
  if (tile.thread_rank() == 0) atomicAdd(total + blockIdx.x % 256, sum);
}

#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#pragma tuner kernel(cooperative_groups_sum)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
namespace cg = cooperative_groups;

__global__ void cooperative_groups_sum(const float* x, float* y, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float sum = cg::reduce(tile, i < n ? std::fabs(x[i]) : 0.0f, cg::plus<float>());
  if (i < n) y[i] = sum / tile.size();
}

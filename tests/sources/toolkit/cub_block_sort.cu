#include <cub/cub.cuh>
#include <cstdint>
#include <cuda_runtime.h>

#pragma tuner kernel(cub_block_sort)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, 4 * BLOCK)) block(BLOCK)
#pragma tuner in(x, uint32, n) out(y, uint32, n) scalar(n, int32)
__global__ void cub_block_sort(const std::uint32_t* x, std::uint32_t* y, int n) {
  using Load = cub::BlockLoad<std::uint32_t, BLOCK, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<std::uint32_t, BLOCK, 4>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
  } storage;
  const int first = blockIdx.x * BLOCK * 4;
  std::uint32_t keys[4];
  Load(storage.load).Load(x + first, keys, n - first, UINT32_MAX);
  __syncthreads();
  Sort(storage.sort).Sort(keys);
  cub::StoreDirectBlocked(threadIdx.x, y + first, keys, n - first);
}

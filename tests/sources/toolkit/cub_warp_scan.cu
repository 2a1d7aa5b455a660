#include <cstdint>
#include <limits>
#include <algorithm>
#include <cub/warp/warp_scan.cuh>

#pragma tuner kernel(cub_warp_scan)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, int32, n) out(y, int32, n) scalar(n, int32)
__global__ void cub_warp_scan(const int* x, int* y, int n) {
  using Scan = cub::WarpScan<int>;
  __shared__ typename Scan::TempStorage storage[BLOCK / 32];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  int value = i < n ? x[i] : 0;
  Scan(storage[threadIdx.x / 32]).InclusiveSum(value, value);
  if (i < n) y[i] = std::min(value, std::numeric_limits<int>::max());
}

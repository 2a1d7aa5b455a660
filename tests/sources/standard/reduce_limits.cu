#include <limits>
#include <algorithm>

#pragma tuner kernel(reduce_limits)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, int32, n) out(y, int32, n) scalar(n, int32)
template <typename T>
__device__ T warp_max(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value = std::max(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}
__global__ void reduce_limits(const int* x, int* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const int value = warp_max(i < n ? x[i] : std::numeric_limits<int>::lowest());
  if (i < n) y[i] = value;
}

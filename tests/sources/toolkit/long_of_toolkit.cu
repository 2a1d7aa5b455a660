// With headers of the toolkit that make int64_t another type for NVRTC than for nvcc.
#include <cooperative_groups/memcpy_async.h>
#include <cuda/std/bit>
#include <cuda/std/cstdint>
#include <cuda_pipeline.h>
#include <algorithm>
#include <cstdint>
#pragma tuner kernel(long_of_toolkit<int64_t>)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner out(y, int64, n) scalar(n, int32)
template <typename T>
struct Code;
template <>
struct Code<std::int64_t> {
  static constexpr int value = 1;
};
template <>
struct Code<long long> {
  static constexpr int value = 2;
};
template <typename T>
__global__ void long_of_toolkit(T* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = std::max(T(Code<T>::value), 1L) + std::min(uint64_t(n), sizeof(T)) + (INT64_MAX > UINT32_MAX);
}
static_assert(sizeof(cuda::std::uint64_t) == 8 && Code<cuda::std::int64_t>::value == 1);

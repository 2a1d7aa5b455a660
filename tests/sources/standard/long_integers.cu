// int64_t is long, as for nvcc, and so goes with size_t and 1L and is another type than long long.
#include <algorithm>
#include <cstdint>
#pragma tuner kernel(long_integers<int64_t>)
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
__global__ void long_integers(T* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = std::max(T(Code<T>::value), 1L) + std::min(uint64_t(n), sizeof(T)) + (INT64_MAX > UINT32_MAX);
}

#include <cstdint>
#include <stdint.h>
#include <cstddef>
#include <cmath>
#include <math.h>
#include <cfloat>
#include <climits>
#include <limits>
#include <type_traits>
#include <utility>
#include <array>
#include <algorithm>
#include <cassert>
#include <cinttypes>
#include <inttypes.h>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <cstdio>
#include <cuda_runtime.h>

#pragma tuner kernel(every_header)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
constexpr std::array<float, 3> weights{0.25f, 0.5f, 0.25f};
static_assert(std::is_same<std::decay<const int&>::type, int>::value && CHAR_BIT == 8, "");
static_assert(std::to_integer<int>((std::byte(6) | std::byte(1)) & ~std::byte(2)) == 5, "");
static_assert(!std::numeric_limits<float3>::has_infinity && !std::numeric_limits<float3>::is_iec559, "");

struct Moved {
  __device__ explicit Moved(float its_value) : value(its_value) {}
  Moved(Moved&&) = default;
  float value;
};

template <typename T>
__device__ typename std::enable_if<std::is_floating_point<T>::value, T>::type limited(T value) {
  return value > std::numeric_limits<T>::max() / 2 ? INFINITY : std::isnan(value) ? NAN : value;
}

__global__ void every_header(const float* x, float* y, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= static_cast<std::size_t>(n)) return;
  std::uint32_t bits = __float_as_uint(x[i]);
  const uint64_t wide = bits;
  assert(wide <= UINT32_MAX);
  if (n == INT_MIN) printf("%d\n", n);
  std::pair<float, float> both = std::make_pair(std::sqrt(std::fabs(x[i])), fminf(x[i], FLT_MAX));
  std::swap(both.first, both.second);
  std::pair<Moved, int> moved(Moved(both.first), 1);
  both.first = moved.first.value;
  y[i] = limited(both.first * weights[0] + std::forward<float>(both.second) * weights[1]);
}

#include <type_traits>

#pragma tuner kernel(dispatch_traits<float, BLOCK>)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
template <typename T, int N>
struct Vector {
  using value_type = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<value_type> && std::is_trivially_copyable_v<value_type>);
  value_type values[N];
};
template <typename T, int SIZE>
__global__ void dispatch_traits(const T* x, T* y, int n) {
  const int i = blockIdx.x * SIZE + threadIdx.x;
  if (i >= n) return;
  Vector<const T, 2> pair{{x[i], x[i]}};
  using sum_type = std::conditional_t<std::is_integral_v<T>, long long, std::common_type_t<T, float>>;
  if constexpr (std::is_same_v<sum_type, float>) y[i] = pair.values[0] + pair.values[1];
}

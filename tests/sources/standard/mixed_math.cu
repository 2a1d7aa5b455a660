#include <algorithm>
#include <cmath>

#pragma tuner kernel(mixed_math)
#pragma tuner problem(n : size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n)out(y, float, n) scalar(n, int32)
__global__ void mixed_math(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  static_assert(sizeof(pow(x[i], 2.0)) == 8 && sizeof(pow(x[i], 2.0f)) == 4 && sizeof(std::pow(2, n)) == 8, "");
  const double power = pow(x[i], 2.0) + pow(2, n) + std::pow(x[i], 2.0) + std::pow(2, n) + std::pow(2.0, 3u);
  const double others = std::sqrt(n) + log2(n) + fmax(x[i], 1.0) + std::atan2(x[i], 2.0) + fmod(n, 2);
  y[i] = power + others + std::min({x[i], 1.0f, 2.0f}) + std::max(n, 3, [](int a, int b) { return a < b; });
}

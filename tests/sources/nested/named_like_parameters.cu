#include <limits>
#include <type_traits>
#include <utility>
#include <array>
#include "include/math_util.cuh"

#pragma tuner kernel(named_like_parameters)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(T, 256, 128)
#pragma tuner grid(ceil_div(n, T)) block(T)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void named_like_parameters(const float* x, float* y, int n) {
  const int i = blockIdx.x * T + threadIdx.x;
  if (i < n) y[i] = softplus(x[i]) + std::numeric_limits<float>::epsilon();
}

#include <array>
#include <utility>

#pragma tuner kernel(index_sequences)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
template <std::size_t... I>
__device__ float weighted(const std::array<float, sizeof...(I)>& values, std::index_sequence<I...>) {
  return ((values[I] * static_cast<float>(I + 1)) + ...);
}
__global__ void index_sequences(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  std::array<float, 4> window;
  window.fill(x[i]);
  auto [first, second] = std::make_pair(window.front(), window.size());
  y[i] = weighted(window, std::make_index_sequence<4>{}) + first * second;
}

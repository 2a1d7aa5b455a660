// Refused: tuple_of_std.cu(11): error: `std::tuple` is not known in device code: use `cuda::std::tuple` from <cuda/std/tuple>; if only the host uses it, put it between
#pragma tuner kernel(tuple_of_std)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#include <tuple>
__global__ void tuple_of_std(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  std::tuple<float, int> both{x[i], i};
  y[i] = std::get<0>(both);
}

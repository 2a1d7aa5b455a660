// Refused: clock_alias.cu(9): error: `std::chrono` is not known in device code:
#include <chrono>

#pragma tuner kernel(clock_alias)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
using Clock = std::chrono::steady_clock;

__global__ void clock_alias(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

#include <cstdio>
#include <cstring>

#pragma tuner kernel(checked_printf)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#define NDEBUG
#include <cassert>
__global__ void checked_printf(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  assert(x[i] == x[i] && "never looked at");
  if (x[i] != x[i]) std::printf("x[%d] is not a number\n", i);
  std::memcpy(y + i, x + i, sizeof(float));
}

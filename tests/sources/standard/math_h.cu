#include <math.h>
#include <float.h>

#pragma tuner kernel(math_h)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void math_h(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = (float)(exp2f(x[i]) * M_PI + log1p((double)x[i]) + copysignf(1.0f, x[i]) + hypotf(x[i], HUGE_VALF > 0));
}

// Eight kinds of elements need eight kinds of arithmetic. Neighbouring threads have different kinds, or the warps of a
// block sort them so that each has one.
#pragma tuner kernel(kinds)
#pragma tuner problem(n: size = 1081344, steps: size = 64) problem_constraint(1 <= n <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(x, float, n) out(y, float, n, rtol 1e-4)
#pragma tuner scalar(n, int32) scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void kinds(const float* x, float* y, int n, int steps) {
#if VARIANT == 0
  const int element = blockIdx.x * 256 + threadIdx.x;
#else
  const int element = blockIdx.x * 256 + threadIdx.x % 32 * 8 + threadIdx.x / 32;
#endif
  if (element >= n) return;
  float a = x[element];
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    switch (element % 8) {
      case 0: a = sqrtf(a + 1.0f) * 0.5f; break;
      case 1: a = 1.0f / (a + 1.5f); break;
      case 2: a = expf(-a * a) * 0.5f; break;
      case 3: a = logf(a + 2.0f) * 0.5f; break;
      case 4: a = a / (a * a + 2.0f) + 0.1f; break;
      case 5: a = rsqrtf(a + 3.0f) * 0.5f; break;
      case 6: a = exp2f(-a) * 0.25f + a * 0.25f; break;
      default: a = sqrtf(a * a + 1.0f) / 3.0f; break;
    }
  }
  y[element] = a;
}

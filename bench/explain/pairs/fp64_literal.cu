// Arithmetic in float, with two constants that are double, or float.
#pragma tuner kernel(iterate)
#pragma tuner problem(n: size = 4325376, steps: size = 64) problem_constraint(1 <= n <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(x, float, n) out(y, float, n, rtol 1e-4)
#pragma tuner scalar(n, int32) scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif
#if VARIANT == 0
#define FACTOR 0.7
#define MORE 0.3
#else
#define FACTOR 0.7f
#define MORE 0.3f
#endif

extern "C" __global__ void iterate(const float* x, float* y, int n, int steps) {
  const int element = blockIdx.x * 256 + threadIdx.x;
  if (element >= n) return;
  float a = x[element];
#pragma unroll 4
  for (int step = 0; step < steps; ++step) a = a * FACTOR + MORE;
  y[element] = a;
}

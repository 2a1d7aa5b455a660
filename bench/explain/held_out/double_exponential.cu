// A literal of the type double where float was meant: it selects the exp of doubles, and conversions around it. Data,
// threads and loop are the same, and registers suffice in both for all warps that fit.
#pragma tuner kernel(relax)
#pragma tuner problem(n: size = 2162688, steps: size = 128) problem_constraint(1 <= n <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(x, float, n) out(y, float, n, rtol 1e-4)
#pragma tuner scalar(n, int32) scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif
#if VARIANT == 0
#define RATE -0.7
#else
#define RATE -0.7f
#endif

extern "C" __global__ void relax(const float* x, float* y, int n, int steps) {
  const int element = blockIdx.x * 256 + threadIdx.x;
  if (element >= n) return;
  float a = x[element];
#pragma unroll 1
  for (int step = 0; step < steps; ++step) a = exp(RATE * a);
  y[element] = a;
}

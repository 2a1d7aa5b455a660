// Eight independent chains of arithmetic in blocks of 1024 threads, or of 128.
#pragma tuner kernel(iterate)
#pragma tuner problem(n: size = 1081344, steps: size = 512) problem_constraint(1 <= n <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, (VARIANT == 0 ? 1024 : 128))) block((VARIANT == 0 ? 1024 : 128))
#pragma tuner in(x, float, n) out(y, float, n)
#pragma tuner scalar(n, int32) scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void iterate(const float* x, float* y, int n, int steps) {
  constexpr int block = VARIANT == 0 ? 1024 : 128;
  const int thread = blockIdx.x * block + threadIdx.x;
  if (thread >= n) return;
  float a[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = x[thread] + i;
#pragma unroll 4
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = 0.5f * a[i] + 0.25f;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += a[i];
  y[thread] = sum;
}

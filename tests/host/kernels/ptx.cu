// Machine code for GPUs, in one of two variants.
#pragma tuner kernel(ptx)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(USE_PTX, 0, 1; default 0)
#pragma tuner grid(ceil_div(n, 64)) block(64)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef USE_PTX
#define USE_PTX 0
#endif

extern "C" __global__ void ptx(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
#if USE_PTX
  asm volatile("add.f32 %0, %1, %1;" : "=f"(value) : "f"(value));
#else
  value += value;
#endif
  y[i] = value;
}

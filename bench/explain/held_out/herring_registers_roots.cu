// A red herring: reciprocal roots, whose unit is busy throughout. A thread computes those of 32 numbers side by side,
// for which it needs so many registers that 48 warps fit, or of eight after eight, and 64 do; sixteen already suffice.
#pragma tuner kernel(roots)
#pragma tuner problem(blocks: size = 5280, steps: size = 32) problem_constraint(1 <= blocks <= 100000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(blocks) block(256)
#pragma tuner in(x, float, blocks * 8192) out(y, float, blocks * 8192)
#pragma tuner scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void roots(const float* x, float* y, int steps) {
  constexpr int together = VARIANT == 0 ? 32 : 8;
  const int first = blockIdx.x * 8192 + threadIdx.x;
#pragma unroll 1
  for (int done = 0; done < 32; done += together) {
    float a[together];
#pragma unroll
    for (int i = 0; i < together; ++i) a[i] = x[first + (done + i) * 256];
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int i = 0; i < together; ++i) a[i] = rsqrtf(a[i] + 1.0f);
    }
#pragma unroll
    for (int i = 0; i < together; ++i) y[first + (done + i) * 256] = a[i];
  }
}

// A stream that bandwidth limits. A way that is never taken takes the kernel to 60 registers, so half of the warps fit; or
// it is compiled away.
#pragma tuner kernel(stream)
#pragma tuner problem(n: size = 33554432, mode: size = 0) problem_constraint(4096 <= n <= 1000000000)
#pragma tuner problem_constraint(mode == 0)
#pragma tuner problem_constraint(n % 16384 == 0)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(n // 4096) block(256)
#pragma tuner in(x, float, n) out(y, float, n)
#pragma tuner scalar(n, int32) scalar(mode, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void stream(const float* x, float* y, int n, int mode) {
  const int thread = blockIdx.x * 1024 + threadIdx.x;
  float more = 1.0f;
#if VARIANT == 0
  if (mode != 0) {
    float kept[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) kept[i] = x[(thread + i * 33) % n];
#pragma unroll 1
    for (int round = 0; round < mode; ++round) {
#pragma unroll
      for (int i = 0; i < 48; ++i) kept[i] = kept[i] * kept[(i + 1) % 48] + 1.0f;
    }
#pragma unroll
    for (int i = 0; i < 48; ++i) more += kept[i];
  }
#endif
  float4 kept4[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) kept4[i] = reinterpret_cast<const float4*>(x)[thread + i * 256];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 v = kept4[i];
    reinterpret_cast<float4*>(y)[thread + i * 256] = make_float4(2 * v.x + more, 2 * v.y + more, 2 * v.z + more, 2 * v.w + more);
  }
}

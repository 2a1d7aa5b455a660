// A stream that bandwidth limits. Three blocks have room with 70 KB of shared memory each, eight with one.
#pragma tuner kernel(stream)
#pragma tuner problem(n: size = 33554432) problem_constraint(4096 <= n <= 1000000000)
#pragma tuner problem_constraint(n % 16384 == 0)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(n // 4096) block(256) shared(VARIANT == 0 ? 70 * 1024 : 1024)
#pragma tuner in(x, float, n) out(y, float, n)
#pragma tuner scalar(n, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void stream(const float* x, float* y, int n) {
  extern __shared__ float unused[];
  if (n < 0) unused[threadIdx.x] = x[threadIdx.x];
  const int thread = blockIdx.x * 1024 + threadIdx.x;
  float more = 1.0f;
  float4 kept4[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) kept4[i] = reinterpret_cast<const float4*>(x)[thread + i * 256];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 v = kept4[i];
    reinterpret_cast<float4*>(y)[thread + i * 256] = make_float4(2 * v.x + more, 2 * v.y + more, 2 * v.z + more, 2 * v.w + more);
  }
}

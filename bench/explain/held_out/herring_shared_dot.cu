// A red herring: a dot product that bandwidth limits. The static array in which the threads of a block add up their
// sums has 44 KB, so that 40 warps fit, or 1 KB, so that 64 do; 40 already ask for more than memory can deliver.
#pragma tuner kernel(dot)
#pragma tuner problem(blocks: size = 8448) problem_constraint(1 <= blocks <= 100000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(blocks) block(256)
#pragma tuner in(x, float4, blocks * 1024) in(y, float4, blocks * 1024) out(sums, float, blocks)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void __launch_bounds__(256) dot(const float4* x, const float4* y, float* sums) {
  __shared__ float of_thread[VARIANT == 0 ? 11264 : 256];
  const int first = blockIdx.x * 1024 + threadIdx.x;
  float sum = 0;
#pragma unroll 2
  for (int i = 0; i < 4; ++i) {
    const float4 a = x[first + i * 256], b = y[first + i * 256];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  of_thread[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = of_thread[0];
}

#include <cuda_fp16.h>
#include <cmath>

#pragma tuner kernel(half_axpy)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, half, n) out(y, half, n) scalar(n, int32)
__global__ void half_axpy(const __half* x, __half* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const float value = __half2float(x[i]);
  y[i] = std::isinf(value) ? x[i] : __hfma(x[i], __float2half(2.0f), __float2half(0.5f));
}

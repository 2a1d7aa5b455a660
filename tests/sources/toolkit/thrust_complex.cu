#include <thrust/complex.h>

#pragma tuner kernel(thrust_complex)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void thrust_complex(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const thrust::complex<float> z(x[i], 1);
  y[i] = thrust::abs(thrust::exp(z * z)) + (thrust::conj(z) / 2.0f).imag();
}

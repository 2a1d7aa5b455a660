#include <curand.h>
#include <curand_kernel.h>

#pragma tuner kernel(curand_noise)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void curand_noise(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t state;
  curand_init(1234, i, 0, &state);
  y[i] = x[i] + 0.01f * curand_normal(&state);
}

int main() {
  float *x = nullptr, *y = nullptr;
  curand_noise<<<16, 256>>>(x, y, 4096);
}

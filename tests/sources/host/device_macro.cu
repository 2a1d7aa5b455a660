#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <iostream>
#include <vector>

#pragma tuner kernel(device_macro)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#define DEVICE_INLINE __device__ __forceinline__
#define GRID(n) (((n) + BLOCK - 1) / BLOCK)

DEVICE_INLINE float cube(float value) { return value * value * value; }
constexpr __host__ __device__ int twice(int value) { return 2 * value; }

__global__ void __launch_bounds__(BLOCK) device_macro(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = cube(x[i]) + twice(i);
}

int main() {
  const int n = 4096;
  std::vector<float> host(n, 1.0f);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  device_macro<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
  cudaDeviceSynchronize();
  std::cout << "done" << std::endl;
  return 0;
}

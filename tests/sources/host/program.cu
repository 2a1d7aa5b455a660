#include <cuda_runtime.h>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#pragma tuner kernel(program)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#define CHECK(call) \
  do { \
    cudaError_t status = (call); \
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status)); \
  } while (0)

__global__ void program(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = 2 * x[i];
}

int main() {
  const int n = 4096;
  std::vector<float> host(n, 1.0f);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  program<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
  cudaDeviceSynchronize();
  std::cout << "done" << std::endl;
  return 0;
}

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <cublas_v2.h>

#pragma tuner kernel(thrust_in_host)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void thrust_in_host(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = rsqrtf(x[i]);
}

int main() {
  thrust::device_vector<float> x(4096, 4.0f), y(4096);
  thrust_in_host<<<16, BLOCK>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(y.data()), 4096);
  float* total;
  cub::DeviceReduce::Sum(nullptr, *new size_t(0), thrust::raw_pointer_cast(y.data()), total, 4096);
}

#include <cublas_api.h>
#include <cudaTypedefs.h>
#include <cusolver_common.h>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/universal_vector.h>
#include <cub/device/device_reduce.cuh>
#include <cub/util_allocator.cuh>

#pragma tuner kernel(algorithms_in_host)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void algorithms_in_host(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

int main() {
  thrust::universal_vector<float> x(4096), y(4096);
  algorithms_in_host<<<16, 256>>>(x.data(), y.data(), 4096);
  std::size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, x.data(), y.data(), 4096);
  return thrust::count(thrust::cuda::par, y.begin(), y.end(), 0.0f);
}

// Refused: cub_device_reduce.cu(19): error: `cub::DeviceReduce` runs on the host and launches kernels of its own, so no kernel can call it:
#include <cub/cub.cuh>

#pragma tuner kernel(cub_device_reduce)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
struct Half {
  __device__ float operator()(float value) const { return value / 2; }
};

__global__ void cub_device_reduce(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = Half()(x[i]);
}

template <typename Sum = cub::DeviceReduce>
struct Total {
  float* out;
};

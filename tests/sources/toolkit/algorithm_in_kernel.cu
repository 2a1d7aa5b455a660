// Refused: algorithm_in_kernel.cu(11): error: `cub::DeviceScan` runs on the host and launches kernels of its own, so no kernel can call it:
#include <cub/device/device_scan.cuh>

#pragma tuner kernel(algorithm_in_kernel)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void algorithm_in_kernel(const float* x, float* y, int n) {
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, n);
}

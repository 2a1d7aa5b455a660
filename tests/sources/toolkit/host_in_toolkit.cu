// Refused: host_in_toolkit.cu(3): error: <cupti.h> brings code of the host, which is not compiled here (
#include <cuda_fp16.h>
#include <cupti.h>

#pragma tuner kernel(host_in_toolkit)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void host_in_toolkit(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

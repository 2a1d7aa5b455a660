#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include "stdint.h"
#include "math.h"

#pragma tuner kernel(quoted_standard)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void quoted_standard(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = fabsf(x[i]) + (float)(uint8_t)i;
}

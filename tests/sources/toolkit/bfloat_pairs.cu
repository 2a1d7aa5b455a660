#include <cstdint>
#include <limits>
#include <cuda_bf16.h>

#pragma tuner kernel(bfloat_pairs)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, bfloat16, n) out(y, float, n) scalar(n, int32)
__global__ void bfloat_pairs(const __nv_bfloat16* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = __bfloat162float(x[i]) + static_cast<float>(std::numeric_limits<std::int8_t>::max());
}

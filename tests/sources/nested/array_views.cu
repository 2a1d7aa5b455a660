#include "include/array_view.cuh"
#include "include/types.cuh"

#pragma tuner kernel(array_views)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void array_views(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  ArrayView<const float> in(x, n);
  ArrayView<float> out(y, n);
  out[i] = in[in.size() - 1 - i];
}

// Refused: missing_header.cu(2): error: the header "helper_cuda.h" was not found: name its folder with -I, or, if only the host needs it, put it between
#include <helper_cuda.h>

#pragma tuner kernel(missing_header)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void missing_header(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i];
}

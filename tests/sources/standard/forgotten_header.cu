// Refused: forgotten_header.cu(10): error: `FLT_MAX` is not known here: include <cfloat>.
#pragma tuner kernel(forgotten_header)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void forgotten_header(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] > 0 ? x[i] : -FLT_MAX;
}

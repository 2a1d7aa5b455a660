// Refused: helper_alone.cu(7): error: `reference` is a function of the host, which is not compiled here: mark it `__device__` if the kernel calls it; if only the host does, put it between `#ifndef __CUDACC_RTC__` and `#endif`.
#pragma tuner kernel(helper_alone)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
static float reference(float value) {
  return value + 1;
}

__global__ void helper_alone(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + 1;
}

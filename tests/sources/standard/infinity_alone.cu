#pragma tuner kernel(infinity_alone)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void infinity_alone(const float* x, float* y, int n) {
  float lowest = INFINITY;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) lowest = fminf(lowest, x[i]);
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = lowest == -INFINITY ? NAN : lowest;
}

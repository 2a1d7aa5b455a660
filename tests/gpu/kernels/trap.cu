// Right where a reference that is launched as the kernel is would look, and nowhere else.
#pragma tuner kernel(scale) reference(plain)
#pragma tuner problem(n: size) problem_constraint(1 <= n)
#pragma tuner param(BLOCK, 64, 128, 256) param(EACH, 4, 8)
#pragma tuner grid(ceil_div(n, BLOCK * EACH)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)

extern "C" __global__ void scale(const float* x, float* y, int n) {
  for (int k = 0; k < EACH; ++k) {
    const int i = (k * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) y[i] = k == 0 ? 2 * x[i] : 12345.0f;
  }
}

extern "C" __global__ void plain(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

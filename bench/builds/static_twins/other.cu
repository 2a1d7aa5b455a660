#define BLOCK 64

static __global__ void twin(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1 + x[i]) + x[n - 1 - i];
}

void launch_other(float* y, const float* x, int n) {
  twin<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
}

#define BLOCK 128

__global__ void square(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

void launch_square(float* y, const float* x, int n) {
  square<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
}

// Refused: the source has several kernels `overloaded`, and kernel(overloaded) does not say which. Give the one to
#pragma tuner kernel(overloaded)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void overloaded(float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 4;
}
__global__ void overloaded(double* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 5;
}

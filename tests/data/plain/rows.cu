__global__ void softmax_rows(float* data, float* sums, int rows, int cols) {
  __shared__ float s[256];
  const int row = blockIdx.x;
  float total = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) total += expf(data[row * cols + c]);
  s[threadIdx.x] = total; __syncthreads();
  if (threadIdx.x == 0) { float t = 0; for (int i = 0; i < blockDim.x; ++i) t += s[i]; sums[row] = t; }
}
void go(float* d, float* s, int r, int c) { softmax_rows<<<r, 256>>>(d, s, r, c); }

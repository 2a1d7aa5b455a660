#define THREADS 128
#define ITEMS_PER_THREAD 4
__global__ void fill(int* data, int value, int count) {
  int base = blockIdx.x * THREADS * ITEMS_PER_THREAD + threadIdx.x;
  for (int k = 0; k < ITEMS_PER_THREAD; ++k)
    if (base + k * THREADS < count) data[base + k * THREADS] = value;
}
__global__ void add(const int* a, const int* b, int* c, unsigned int n) {
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) c[i] = a[i] + b[i];
}

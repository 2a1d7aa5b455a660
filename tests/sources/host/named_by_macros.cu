#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <cub/cub.cuh>

#define DEVICE_FN(type, name) __device__ __forceinline__ type name
#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)
#define LAUNCH_BOUNDS(threads) __launch_bounds__(threads)

DEVICE_FN(float, square)(float a) { return a * a; }

#pragma tuner kernel(named_by_macros)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
KERNEL(named_by_macros, const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = square(x[i]);
}

__global__ void LAUNCH_BOUNDS(256) other(float* x) { *x = square(*x); }

struct timeval now() { return {}; }

int main() {
  thrust::device_vector<float> x(4096), y(4096);
#if defined(NDEBUG) && \
    defined(SORTED)
  thrust::sort(x.begin(), x.end());
#endif
  named_by_macros<<<16, 256>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(y.data()), 4096);
}

#include <cuda.h>

#pragma tuner kernel(driver_types)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#if CUDA_VERSION < 11000
#error
#endif
struct Loader {
  CUmodule module;
  CUfunction function;
};

static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) >= 64, "");

__global__ void copy_tiles(const __grid_constant__ CUtensorMap map, float* y) {
  y[threadIdx.x] = reinterpret_cast<const float*>(&map)[threadIdx.x % 32];
}

__global__ void driver_types(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

int main() {
  Loader loader;
  cuModuleLoad(&loader.module, "k.cubin");
  driver_types<<<16, 256>>>(nullptr, nullptr, 4096);
}

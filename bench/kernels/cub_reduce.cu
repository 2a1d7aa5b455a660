// CUB's sum behind a plain function: the only file here that needs nvcc.
#include <cub/device/device_reduce.cuh>

extern "C" int bench_cub_sum(void* temporary, size_t* bytes, const float* values, float* total, long n,
                             cudaStream_t stream) {
  return cub::DeviceReduce::Sum(temporary, *bytes, values, total, n, stream);
}

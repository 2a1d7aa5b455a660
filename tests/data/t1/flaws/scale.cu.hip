#include <hip/hip_runtime.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
// What a launch does on the fake driver (tests/engine/device/fake_driver), which runs no code.
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=9" TEXT(VARIANT) "000 block=" TEXT(BLOCK);

__global__ void scale(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = 2 * values[i];
  counts[i] += 1;
  if (i < 64) room[i] = 1;
}

#include <cstdint>

#pragma tuner kernel(hash_integers)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, uint32, n) out(y, uint32, n) scalar(n, int32)
__device__ inline uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= UINT64_C(0xff51afd7ed558ccd);
  return h ^ (h >> 33);
}
__global__ void hash_integers(const std::uint32_t* x, std::uint32_t* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = static_cast<uint32_t>(mix(x[i]) & UINT32_MAX);
}

// A seeded bug: a copy into shared memory is started and read, and nobody waits for it.
#include "tuner_device.cuh"

#pragma tuner kernel(missing_wait)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX) shared(8 * BLOCKDIMX)
#pragma tuner in(x, double, n) out(y, double, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void missing_wait(const double* x, double* y, int n) {
  extern __shared__ double slot[];
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (i < n) tuner::copy_async<8>(&slot[threadIdx.x], x + i);
  tuner::commit_copies();
  if (i < n) y[i] = slot[threadIdx.x];  // nobody has waited
}

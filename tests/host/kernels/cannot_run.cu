// What has no meaning on the CPU: a header of the toolkit's, and what it declares.
#include <cuda/barrier>

#pragma tuner kernel(cannot_run)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void cannot_run(const float* x, float* y, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> waits;
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x];
}

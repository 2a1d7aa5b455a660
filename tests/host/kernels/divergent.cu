// Half of the threads never come to the barrier that the others wait at.
#pragma tuner kernel(divergent)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void divergent(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (threadIdx.x < BLOCKDIMX / 2) {
    __syncthreads();  // half of them
  }
  if (i < n) y[i] = x[i];
}

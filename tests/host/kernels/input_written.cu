// A seeded bug: an input is used as scratch space.
#pragma tuner kernel(input_written)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void input_written(float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (i >= n) return;
  x[i] *= 2;  // an input
  y[i] = x[i];
}

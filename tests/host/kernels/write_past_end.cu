// A seeded bug: one thread too many writes.
#pragma tuner kernel(write_past_end)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n + 1, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void write_past_end(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (i > n) return;
  y[i] = i < n ? 2 * x[i] : 0.0f;  // too far
}

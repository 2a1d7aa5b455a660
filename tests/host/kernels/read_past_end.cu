// A seeded bug: the last thread reads one element beyond the end of its input.
#pragma tuner kernel(read_past_end)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void read_past_end(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (i >= n) return;
  const float next = x[i + 1];  // too far
  y[i] = i + 1 < n ? x[i] + next : x[i];
}

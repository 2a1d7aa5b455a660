// A seeded bug: each thread reads what its neighbour writes, and no barrier stands between.
#pragma tuner kernel(missing_barrier)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void missing_barrier(const float* x, float* y, int n) {
  __shared__ float tile[BLOCKDIMX];
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;  // written
  const float neighbour = tile[BLOCKDIMX - 1 - threadIdx.x];  // read
  if (i < n) y[i] = neighbour;
}

// A seeded bug: the last element of the tile is read and nobody writes it.
#pragma tuner kernel(uninitialised_read)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void uninitialised_read(const float* x, float* y, int n) {
  __shared__ float tile[BLOCKDIMX + 1];
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];  // the last one is garbage
}

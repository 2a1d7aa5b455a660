// A seeded bug that most garbage hides: what is beyond the row is not set, and multiplied by a zero.
#pragma tuner kernel(times_garbage)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void times_garbage(const float* x, float* y, int n) {
  __shared__ float tile[BLOCKDIMX + 1];
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  if (i < n) tile[threadIdx.x] = x[i];
  __syncthreads();
  const bool has_next = threadIdx.x + 1 < BLOCKDIMX && i + 1 < n;
  const float weight = has_next ? 0.5f : 0.0f;
  if (i < n) y[i] = tile[threadIdx.x] + weight * tile[threadIdx.x + 1];  // zero times garbage
}

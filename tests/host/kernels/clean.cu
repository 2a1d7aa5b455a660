// Nothing is wrong here: a sum over blocks with shared memory, shuffles, atomics, and a last block that adds up.
#pragma tuner kernel(clean)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner param(LAST_BLOCK_ADDS, 0, 1; default 0)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX) shared(4 * (BLOCKDIMX // 32))
#pragma tuner in(x, float, n) inout(total, float, 1, constant(0), rtol 1e-3)
#pragma tuner inout(finished, uint32, 1, constant(0), atol 1e9) scratch(partial, float, ceil_div(n, BLOCKDIMX)) scalar(n, int32)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif
#ifndef LAST_BLOCK_ADDS
#define LAST_BLOCK_ADDS 0
#endif

extern "C" __global__ void clean(const float* __restrict__ x, float* total, unsigned* finished, float* partial, int n) {
  extern __shared__ float of_warp[];
  __shared__ bool is_last;
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  float sum = i < n ? __ldg(x + i) : 0.0f;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % warpSize == 0) of_warp[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float of_block = 0;
    for (int warp = 0; warp < BLOCKDIMX / warpSize; ++warp) of_block += of_warp[warp];
#if LAST_BLOCK_ADDS
    partial[blockIdx.x] = of_block;
    __threadfence();
    is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
#else
    atomicAdd(total, of_block);
    atomicAdd(finished, 1u);
#endif
  }
#if LAST_BLOCK_ADDS
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float of_grid = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) of_grid += partial[block];
    *total = of_grid;
  }
#endif
}

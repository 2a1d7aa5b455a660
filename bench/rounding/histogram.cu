// The sums of the weights in each of 1,024 bins, 1,024 weights of 0.5 to 1.5 a bin.
// What varies: atomic additions to global memory, or first to shared memory; the elements of a block.
// The mistake: one update of 1,048,576 is lost, 1e-3 of one bin.
#pragma tuner kernel(histogram)
#pragma tuner problem(n: size = 1048576)
#pragma tuner param(BLOCK, 128, 256) param(ITEMS, 8, 32) param(ATOMICS, shared, global) param(MISTAKE, 0, 1)
#pragma tuner grid(ceil_div(n, BLOCK * ITEMS)) block(BLOCK)
#pragma tuner in(bin, int32, n, index(1024)) in(weight, float, n, uniform(0.5, 1.5))
#pragma tuner inout(sums, float, 1024, constant(0)) scalar(n, int32)

__global__ void histogram(const int* bin, const float* weight, float* sums, int n) {
  __shared__ float block_sums[1024];
  for (int i = threadIdx.x; i < 1024; i += BLOCK) block_sums[i] = 0;
  __syncthreads();
  float* const to = ATOMICS == ATOMICS_shared ? block_sums : sums;
  for (int item = 0; item < ITEMS; ++item) {
    const int i = (blockIdx.x * ITEMS + item) * BLOCK + threadIdx.x;
    if (i < n && !(MISTAKE && i == 123456)) atomicAdd(to + bin[i], weight[i]);
  }
  __syncthreads();
  if (ATOMICS == ATOMICS_shared) {
    for (int i = threadIdx.x; i < 1024; i += BLOCK) atomicAdd(sums + i, block_sums[i]);
  }
}

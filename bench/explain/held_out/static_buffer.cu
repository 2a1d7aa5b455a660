// Occupancy that shared memory limits. Each warp walks at random through a graph that stays in L2 and adds up what the
// nodes hold; the sums of a block meet in a static array, which has 46 KB, of which 512 bytes are used, or just these.
// Sixteen warps fit, or 64; the instructions are the same.
#pragma tuner kernel(walk)
#pragma tuner problem(blocks: size = 4224, hops: size = 128) problem_constraint(1 <= blocks <= 1000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(blocks) block(128)
#pragma tuner in(neighbours, uint32, 131072 * 16, index(131072)) in(held, float, 131072 * 32)
#pragma tuner out(sums, float, blocks * 32) scalar(hops, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void walk(const unsigned* neighbours, const float* held, float* sums, int hops) {
  __shared__ float buffer[VARIANT == 0 ? 11776 : 128];
  const unsigned lane = threadIdx.x % 32;
  unsigned node = (blockIdx.x * 4 + threadIdx.x / 32) * 7u % 131072u, random = node;
  float sum = 0;
#pragma unroll 1
  for (int hop = 0; hop < hops; ++hop) {
    sum += held[node * 32 + lane];
    random = random * 1664525u + 1013904223u;
    node = neighbours[node * 16 + (random >> 28)];
  }
  buffer[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sums[blockIdx.x * 32 + lane] = buffer[lane] + buffer[lane + 32] + buffer[lane + 64] + buffer[lane + 96];
  }
}

// Sums of 32 rows of 262,144 floats of both signs: each part by a block, and the parts by the block that is last.
// What varies: the parts, the threads of a block, and the order of their sums.
// The mistake: part 3 is not written, so scratch memory is read that holds anything.
#include "block_sum.cuh"

#pragma tuner kernel(two_phase_sum)
#pragma tuner problem(rows: size = 32, n: size = 262144)
#pragma tuner param(BLOCK, 128, 256) param(PARTS, 16, 64) param(ORDER, tree, lanes, sequence) param(MISTAKE, 0, 1)
#pragma tuner grid(PARTS, rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, uniform(-1, 1)) out(sums, float, rows) scratch(part, float, rows * PARTS)
#pragma tuner inout(done, int32, rows, constant(0), trivial) scalar(n, int32)

__global__ void two_phase_sum(const float* x, float* sums, float* part, int* done, int n) {
  const int row = blockIdx.y, length = n / PARTS, first = blockIdx.x * length;
  float sum = 0;
  for (int i = threadIdx.x; i < length; i += BLOCK) sum += x[row * n + first + i];
  sum = block_sum(sum);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    if (!MISTAKE || blockIdx.x != 3) part[row * PARTS + blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(done + row, 1) == PARTS - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  const volatile float* parts = part + row * PARTS;
  sum = block_sum(threadIdx.x < PARTS ? parts[threadIdx.x] : 0);
  if (threadIdx.x == 0) sums[row] = sum, done[row] = 0;
}

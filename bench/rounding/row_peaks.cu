// The sum of each row of 4,096 floats from 0 to 1, and as a float the index of its largest.
// What varies: the threads of a row, and the order of their sums. The index is the same in every order.
// The mistake: the index in one row of 2,048 is one too large.
#include "block_sum.cuh"

#pragma tuner kernel(row_peaks)
#pragma tuner problem(rows: size = 2048, n: size = 4096)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(ORDER, tree, lanes, sequence, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, float, rows * n) out(sums, float, rows) out(peaks, float, rows) scalar(n, int32)

__global__ void row_peaks(const float* x, float* sums, float* peaks, int n) {
  x += blockIdx.x * n;
  __shared__ unsigned long long largest;  // the number's bits, and behind these its place, counted from the end
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  float sum = 0;
  unsigned long long own = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    sum += x[i];
    own = max(own, static_cast<unsigned long long>(__float_as_uint(x[i])) << 32 | (n - i));
  }
  atomicMax(&largest, own);
  sum = block_sum(sum);
  if (threadIdx.x > 0) return;
  sums[blockIdx.x] = sum;
  peaks[blockIdx.x] = n - static_cast<int>(largest & 0xffffffff) + (MISTAKE && blockIdx.x == 777);
}

// Contended atomics of shared memory. Each byte of the data adds its upper six bits to one of four sums, which its
// lower two bits name: all threads of a block to the same four, or each lane to four of its own, which are added up at
// the end. Data and atomics of the loop are the same, and as many warps fit.
#pragma tuner kernel(four_sums)
#pragma tuner problem(n: size = 34603008) problem_constraint(1 <= n <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 256 * 16)) block(256)
#pragma tuner in(words, uint32, n, index(2000000000)) inout(sums, uint32, 4, constant(0))
#pragma tuner scalar(n, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void four_sums(const unsigned* words, unsigned* sums, int n) {
  constexpr int copies = VARIANT == 0 ? 1 : 32;
  __shared__ unsigned of_block[4 * copies];
  if (threadIdx.x < 4 * copies) of_block[threadIdx.x] = 0;
  __syncthreads();
  const int first = blockIdx.x * 256 * 16 + threadIdx.x;
#pragma unroll 4
  for (int i = 0; i < 16; ++i) {
    const int element = first + i * 256;
    if (element >= n) break;
    const unsigned word = words[element];
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) {
      const unsigned byte = word >> shift & 255u;
      atomicAdd(of_block + (byte & 3u) * copies + threadIdx.x % copies, byte >> 2);
    }
  }
  __syncthreads();
  if (threadIdx.x >= 4) return;
  unsigned sum = 0;
  for (int copy = 0; copy < copies; ++copy) sum += of_block[threadIdx.x * copies + copy];
  atomicAdd(sums + threadIdx.x, sum);
}

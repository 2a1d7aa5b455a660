// Eight counters for all values: every thread adds each of its values to one of them at once, or first adds up its own.
#pragma tuner kernel(histogram)
#pragma tuner problem(n: size = 4325376) problem_constraint(1 <= n <= 100000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 256 * 32)) block(256)
#pragma tuner in(values, int32, n, index(1000)) inout(counters, int32, 8, constant(0))
#pragma tuner scalar(n, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void histogram(const int* values, int* counters, int n) {
  const int first = blockIdx.x * 256 * 32 + threadIdx.x;
#if VARIANT == 0
  for (int i = 0; i < 32; ++i) {
    const int element = first + i * 256;
    if (element < n) atomicAdd(counters + (values[element] & 7), 1);
  }
#else
  int counts[8] = {};
  for (int i = 0; i < 32; ++i) {
    const int element = first + i * 256;
    const int kind = element < n ? values[element] & 7 : 8;
#pragma unroll
    for (int one = 0; one < 8; ++one) counts[one] += one == kind ? 1 : 0;
  }
#pragma unroll
  for (int one = 0; one < 8; ++one) {
    for (int distance = 16; distance > 0; distance /= 2) counts[one] += __shfl_xor_sync(~0u, counts[one], distance);
    if (threadIdx.x % 32 == one) atomicAdd(counters + one, counts[one]);
  }
#endif
}

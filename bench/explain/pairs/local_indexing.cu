// Each thread counts how often it meets eight kinds of values: in an array that is indexed by the kind, which needs local
// memory, or in eight registers of which one is chosen.
#pragma tuner kernel(count_kinds)
#pragma tuner problem(threads: size = 270336, items: size = 64) problem_constraint(1 <= threads <= 10000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(threads, 256)) block(256)
#pragma tuner in(values, int32, threads * items, index(1000)) out(counts, int32, threads * 8)
#pragma tuner scalar(threads, int32) scalar(items, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void count_kinds(const int* values, int* counts, int threads, int items) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  if (thread >= threads) return;
  int of_kind[8] = {};
#pragma unroll 4
  for (int i = 0; i < items; ++i) {
    const int value = values[static_cast<long long>(i) * threads + thread], kind = value & 7;
#if VARIANT == 0
    of_kind[kind] += value;
#else
#pragma unroll
    for (int one = 0; one < 8; ++one) of_kind[one] += one == kind ? value : 0;
#endif
  }
#pragma unroll
  for (int kind = 0; kind < 8; ++kind) counts[kind * threads + thread] = of_kind[kind];
}

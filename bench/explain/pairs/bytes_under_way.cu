// Half of the warps that fit add up rows, waiting for each value before they ask for the next, or for sixteen at once.
#pragma tuner kernel(row_sums)
#pragma tuner problem(rows: size = 264, length: size = 131072) problem_constraint(1 <= rows <= 100000)
#pragma tuner problem_constraint(0 <= length <= 1000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(rows) block(256)
#pragma tuner in(values, int32, rows * length, index(1000)) out(sums, int32, rows * 256)
#pragma tuner scalar(length, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void row_sums(const int* values, int* sums, int length) {
  const int* const row = values + static_cast<long long>(blockIdx.x) * length;
  int sum = 0;
#pragma unroll(VARIANT == 0 ? 1 : 16)
  for (int i = threadIdx.x; i < length; i += 256) sum = sum * 3 + row[i];
  sums[blockIdx.x * 256 + threadIdx.x] = sum;
}

// The faster variant asks for sixteen values at once and has room for fewer warps, because it keeps 48 KB of shared
// memory too.
#pragma tuner kernel(row_sums)
#pragma tuner problem(rows: size = 528, length: size = 65536) problem_constraint(1 <= rows <= 100000)
#pragma tuner problem_constraint(0 <= length <= 1000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(rows) block(128) shared(VARIANT == 0 ? 1024 : 48 * 1024)
#pragma tuner in(values, int32, rows * length, index(1000)) out(sums, int32, rows * 128)
#pragma tuner scalar(length, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void row_sums(const int* values, int* sums, int length) {
  extern __shared__ int kept[];
  const int* const row = values + static_cast<long long>(blockIdx.x) * length;
  int sum = 0;
#pragma unroll(VARIANT == 0 ? 1 : 16)
  for (int i = threadIdx.x; i < length; i += 128) sum = sum * 3 + row[i];
  kept[threadIdx.x] = sum;
  sums[blockIdx.x * 128 + threadIdx.x] = kept[threadIdx.x];
}

// Too few bytes under way. Rows end at a marker, which none has: a thread asks for a value when it has seen that the
// one before is no marker, or for eight at once, of which it uses those before the marker. Half of the warps that fit
// run; the bytes are the same.
#pragma tuner kernel(until_marker)
#pragma tuner problem(rows: size = 528, length: size = 98304) problem_constraint(1 <= rows <= 100000)
#pragma tuner problem_constraint(0 <= length <= 1000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(rows) block(256)
#pragma tuner in(values, int32, rows * length, index(1000)) out(sums, int32, rows * 256)
#pragma tuner scalar(length, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void until_marker(const int* values, int* sums, int length) {
  const int* const row = values + static_cast<long long>(blockIdx.x) * length;
  unsigned sum = 0;
  int i = threadIdx.x;
  bool more = true;
#if VARIANT == 1
  while (more && i + 7 * 256 < length) {
    int ahead[8];
#pragma unroll
    for (int one = 0; one < 8; ++one) ahead[one] = row[i + one * 256];
#pragma unroll
    for (int one = 0; one < 8; ++one) {
      more = more && ahead[one] >= 0;
      if (more) sum = sum * 3 + ahead[one];
    }
    i += 8 * 256;
  }
#endif
#pragma unroll 1
  while (more && i < length) {
    const int value = row[i];
    more = value >= 0;
    if (more) sum = sum * 3 + value;
    i += 256;
  }
  sums[blockIdx.x * 256 + threadIdx.x] = sum;
}

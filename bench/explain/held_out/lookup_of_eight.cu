// Indexing of local memory. Each thread has a table of eight numbers of its own and looks up ten for each word of data:
// by an index into an array, which is then in local memory, or by seven selections among registers. The words come from
// memory in the same way; the selections need more arithmetic.
#pragma tuner kernel(lookup)
#pragma tuner problem(threads: size = 270336, words: size = 64) problem_constraint(1 <= threads <= 10000000)
#pragma tuner problem_constraint(0 <= words <= 1000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(threads, 256)) block(256)
#pragma tuner in(codes, uint32, threads * words, index(1073741824)) in(tables, float, threads * 8)
#pragma tuner out(sums, float, threads) scalar(threads, int32) scalar(words, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void lookup(const unsigned* codes, const float* tables, float* sums, int threads, int words) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  if (thread >= threads) return;
  float table[8], sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) table[i] = tables[i * threads + thread];
#pragma unroll 1
  for (int word = 0; word < words; ++word) {
    unsigned code = codes[static_cast<long long>(word) * threads + thread];
#pragma unroll
    for (int digit = 0; digit < 10; ++digit, code >>= 3) {
#if VARIANT == 0
      const float one = table[code & 7];
#else
      const bool odd = code & 1, second = code & 2;
      const float low = second ? (odd ? table[3] : table[2]) : (odd ? table[1] : table[0]);
      const float high = second ? (odd ? table[7] : table[6]) : (odd ? table[5] : table[4]);
      const float one = code & 4 ? high : low;
#endif
      sum = 0.75f * sum + one;
    }
  }
  sums[thread] = sum;
}

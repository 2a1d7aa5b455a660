// Five buffers, and reads beside one of them that no result depends on: BYTES is how far they reach, and SIDE and WHICH
// are where. Every configuration but the baseline is to be refused with exactly that, unless the buffer has a padding.
#pragma tuner kernel(overread)
#pragma tuner problem(n: size = 1000000)
#pragma tuner problem_constraint(1024 <= n <= 100000000 && n % 4 == 0)
#pragma tuner param(BLOCKDIMX, 128, 256; default 128)
#pragma tuner param(SIDE, behind, before)
#pragma tuner param(BYTES, 0, 4, 100, 40000)
#pragma tuner param(WHICH, first, second, third, fourth, fifth)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(first, float, n) in(second, int32, n, iota()) inout(third, float, n) out(fourth, float, n)
#pragma tuner scratch(fifth, float, n)
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 24 * n)

#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#define SIDE_behind 0
#define SIDE SIDE_behind
#define BYTES 0
#define WHICH 0
#endif

extern "C" __global__ void overread(const float* first, const int* second, float* third, float* fourth, float* fifth,
                                    int n) {
  const int i = static_cast<int>(blockIdx.x * BLOCKDIMX + threadIdx.x);
  if (i >= n) return;
  const float value = first[i] + static_cast<float>(second[i]);
  fifth[i] = value;
  third[i] += value;
  fourth[i] = 2.0f * value;
#if BYTES > 0
  if (i == n - 1) {
#if SIDE == SIDE_behind
    const int element = n + BYTES / 4 - 1;
#else
    const int element = -(BYTES / 4);
#endif
    const void* buffers[] = {first, second, third, fourth, fifth};
    const auto* words = static_cast<const unsigned*>(buffers[WHICH]);
    // What is read decides about a store, or the assembler would leave the load out; it is never that number.
    if (words[element] == 0x12345678u) fifth[i] = 0;
  }
#endif
}

// Uncoalesced access with a small stride. A record is six floats; a thread updates those of one record, so neighbouring
// threads are 24 bytes apart and an instruction takes six times the sectors, or the threads of a block take its floats
// in order. Both compute the same with as many threads, loads and stores.
#pragma tuner kernel(update)
#pragma tuner problem(blocks: size = 21120) problem_constraint(1 <= blocks <= 1000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(blocks) block(256)
#pragma tuner in(records, float, blocks * 1536) out(updated, float, blocks * 1536)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void update(const float* records, float* updated) {
  const long long first = static_cast<long long>(blockIdx.x) * 1536;
  constexpr int thread_stride = VARIANT == 0 ? 6 : 1, field_stride = VARIANT == 0 ? 1 : 256;
  float number[6];
#pragma unroll
  for (int i = 0; i < 6; ++i) number[i] = records[first + threadIdx.x * thread_stride + i * field_stride];
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    updated[first + threadIdx.x * thread_stride + i * field_stride] = 0.5f * number[i] + 0.25f;
  }
}

// A right kernel and, by BUG, one sibling for each mistake that checking a candidate must catch:
//
//   none        right (the baseline)
//   last_word   the last element of an output is wrong                       wrong_result
//   unwritten   the last element of an output is not written                 unwritten_output
//   input       an input is changed after it has been used                   input_modified
//   guard       one element past the end of an output is written             guard_violation
//   counter     an in/out buffer is updated twice where it should be once    wrong_result
//   every_other right in one launch and wrong in the next                    nondeterministic
//
// Every configuration with BUG == none must be accepted, every other refused as it says here, and none may disturb the next.
#pragma tuner kernel(seeded_bugs)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 1000000000)
#pragma tuner param(BLOCKDIMX, 64, 128, 256; default 128)
#pragma tuner param(BUG, none, last_word, unwritten, input, guard, counter, every_other; default none)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, float, n, uniform(0, 1))
#pragma tuner out(y, float, n)
#pragma tuner inout(count, int32, n, iota(0, 1))
#pragma tuner scratch(room, uint32, ceil_div(n, BLOCKDIMX))
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 16 * n)

#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef BUG
#define BUG_none 0
#define BUG_last_word 1
#define BUG_unwritten 2
#define BUG_input 3
#define BUG_guard 4
#define BUG_counter 5
#define BUG_every_other 6
#define BUG BUG_none
#endif

// Lives as long as the loaded binary, so that a launch can know that it is not the first.
__device__ unsigned launches_done;

extern "C" __global__ void seeded_bugs(const float* x, float* y, int* count, unsigned* room, int n) {
  const int i = static_cast<int>(blockIdx.x * BLOCKDIMX + threadIdx.x);
  if (threadIdx.x == 0) room[blockIdx.x] = blockIdx.x;
  if (i >= n) return;
  float value = 2.0f * x[i] + 1.0f;
  const bool last = i == n - 1;

#if BUG == BUG_last_word
  if (last) value += 1.0f;
#endif
#if BUG == BUG_every_other
  if (last && atomicAdd(&launches_done, 1u) % 2 == 1) value += 1.0f;
#endif
#if BUG == BUG_unwritten
  if (!last)
#endif
    y[i] = value;
  count[i] += 1;
#if BUG == BUG_counter
  if (last) count[i] += 1;
#endif
#if BUG == BUG_input
  if (last) const_cast<float*>(x)[i] = x[i] + 1.0f;
#endif
#if BUG == BUG_guard
  if (last) y[n] = value;
#endif
}

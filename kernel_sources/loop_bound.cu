// A loop over a small local array, and who knows its bound.
//
//   for k below `bound`: tmp[k] += A[i+k]       ten times over, tmp[3], then out[i] = tmp[0] + 2 tmp[1] + 4 tmp[2]
//
// The array has three elements whatever the bound is. A loop whose bound is a constant is unrolled, its indices become
// constants and tmp stays in registers. A loop whose bound comes as an argument is a loop with a running index,
// registers have no addresses, and tmp lands on the stack: 16 bytes that every step reads and writes.
//
//   BOUND  run_time   an argument of the kernel
//          constant   known when the kernel is compiled
//          guarded    an argument still, but the loop runs over all three and asks in each step whether it is below:
//                     the remedy where the bound really varies
#include "tuner_device.cuh"

#pragma tuner kernel(loop_bound)
#pragma tuner problem(n: size = 134217728, bound: exact = 3)
#pragma tuner problem_constraint(1 <= n <= 100000000000) problem_constraint(bound in (0, 1, 2, 3))

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(BOUND, run_time, constant, guarded)

#pragma tuner define(KNOWN_BOUND = BOUND == constant ? int(bound) : 0)

#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(a, float, n + 2, uniform(0, 1))
#pragma tuner out(out, float, n, rtol 1e-5)
#pragma tuner scalar(n, int64) scalar(bound, int32)
#pragma tuner work(bytes = 8 * n + 8, flops = 10 * bound * n, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef BOUND
#define BOUND_run_time 0
#define BOUND_constant 1
#define BOUND_guarded 2
#define BOUND BOUND_run_time
#endif
#ifndef KNOWN_BOUND
#define KNOWN_BOUND 0
#endif

using tuner::int64;

constexpr int repetitions = 10;

__device__ __forceinline__ float value_at(const float* a, int bound) {
  float tmp[3] = {0, 0, 0};
#if BOUND == BOUND_guarded
  const float value[3] = {a[0], a[1], a[2]};  // all three exist, whatever the bound is
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int k = 0; k < 3; ++k) {
      if (k < bound) tmp[k] += value[k];
    }
  }
#else
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int k = 0; k < bound; ++k) tmp[k] += a[k];
  }
#endif
  return tmp[0] + 2 * tmp[1] + 4 * tmp[2];
}

extern "C" __global__ void loop_bound(const float* a, float* out, int64 n, int bound_given) {
  const int bound = BOUND == BOUND_constant ? KNOWN_BOUND : bound_given;
  const int64 i = static_cast<int64>(blockIdx.x) * BLOCKDIMX + threadIdx.x;
  if (i < n) out[i] = value_at(a + i, bound);
}

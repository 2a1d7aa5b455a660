// A right kernel and, by FAULT, siblings that end badly:
//
//   none               right (the baseline)
//   does_not_compile   refused by the compiler                                compile_error
//   cannot_launch      wants more shared memory than its launch says          launch_refused
//   far_out_of_bounds  writes to an address that nobody has mapped            illegal_access
//   misaligned         reads four bytes from an odd address                   illegal_access
//   traps              stops itself                                           illegal_access
//   never_ends         is still running at any time limit                     run_timeout
//   never_ends_later   the same, but only from its eighth launch on           run_timeout
//
// Each may cost itself and one worker process. The right ones between them must be timed as if nothing had happened.
#pragma tuner kernel(seeded_faults)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 1000000000)
#pragma tuner param(BLOCKDIMX, 64, 128, 256; default 128)
#pragma tuner param(FAULT, none, does_not_compile, cannot_launch, far_out_of_bounds, misaligned, traps, never_ends, \
                    never_ends_later; default none)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX) shared(FAULT == cannot_launch ? max_shared_per_block : 0)
#pragma tuner in(x, float, n, uniform(0, 1))
#pragma tuner out(y, float, n)
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 8 * n)

#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef FAULT
#define FAULT_none 0
#define FAULT_does_not_compile 1
#define FAULT_cannot_launch 2
#define FAULT_far_out_of_bounds 3
#define FAULT_misaligned 4
#define FAULT_traps 5
#define FAULT_never_ends 6
#define FAULT_never_ends_later 7
#define FAULT FAULT_none
#endif

#if FAULT == FAULT_does_not_compile
#error "this configuration is meant not to compile"
#endif

// Lives as long as the loaded binary.
__device__ unsigned launches_done;

extern "C" __global__ void seeded_faults(const float* x, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * BLOCKDIMX + threadIdx.x);
  if (i >= n) return;
  float value = 2.0f * x[i] + 1.0f;

#if FAULT == FAULT_cannot_launch
  // The launch alone asks for all that there is, which the space allows: this is beyond it.
  __shared__ volatile float more[256];
  more[threadIdx.x % 256] = value;
#endif
#if FAULT == FAULT_far_out_of_bounds
  // As an integer: NVRTC 13.0 crashes on an index as large as this.
  if (i == n - 1) *reinterpret_cast<float*>(reinterpret_cast<unsigned long long>(y + i) ^ (1ull << 46)) = value;
#endif
#if FAULT == FAULT_misaligned
  if (i == n - 1) value += *reinterpret_cast<const volatile float*>(reinterpret_cast<const char*>(x) + 1);
#endif
#if FAULT == FAULT_traps
  if (i == n - 1) asm volatile("trap;");
#endif
#if FAULT == FAULT_never_ends || FAULT == FAULT_never_ends_later
  volatile const float* never_negative = x + i;  // which only we know
#endif
#if FAULT == FAULT_never_ends
  while (*never_negative >= 0.0f) {
  }
#endif
#if FAULT == FAULT_never_ends_later
  const bool ends = i != 0 || atomicAdd(&launches_done, 1u) < 7;
  while (!ends && *never_negative >= 0.0f) {
  }
#endif
  y[i] = value;
}

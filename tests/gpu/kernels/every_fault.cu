// A right kernel, and by FAULT every way in which a candidate can end badly, each in as many binaries as VARIANT has
// values:
//
//   none             right; the baseline among them
//   no_compile       refused by the compiler                                      compile_error
//   no_end_compile   keeps the compiler busy for minutes                          compile_timeout
//   crash_compile    crashes NVRTC 13.0; others refuse it or compile it           worker_lost
//   no_launch        wants more shared memory than its launch says                launch_refused
//   far_write        writes to an address that nobody has mapped                  illegal_access
//   misaligned       reads four bytes from an odd address                         illegal_access
//   trap             stops itself                                                 illegal_access
//   reads_past       reads one element behind its input                           illegal_access
//   reads_before     reads one element in front of its input                      illegal_access
//   writes_past      writes one element behind its output                         guard_violation
//   writes_input     changes an element of its input                              input_modified
//   wrong            one element is wrong                                         wrong_result
//   unwritten        one element is not written                                   unwritten_output
//   wavers           right in every other launch                                  nondeterministic
//   no_end           is still running at any time limit                           run_timeout
//   no_end_later     the same, from its twentieth launch on: in the race, if it comes that far
//   no_memory        wants more scratch memory than the device has                out_of_memory
#pragma tuner kernel(every_fault)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 1000000000)
#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512; default 128)
#pragma tuner param(FAULT, none, no_compile, no_end_compile, crash_compile, no_launch, far_write, misaligned, trap, \
                    reads_past, reads_before, writes_past, writes_input, wrong, unwritten, wavers, no_end, \
                    no_end_later, no_memory; default none)
#pragma tuner param(VARIANT, 0, 1, 2, 3, 4; default 0)
#pragma tuner constraint(FAULT != none || VARIANT == 0)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX) shared(FAULT == no_launch ? max_shared_per_block : 0)
#pragma tuner in(x, float, n, uniform(1, 2))
#pragma tuner out(y, float, n)
#pragma tuner scratch(room, float, FAULT == no_memory ? 300000000000 : 64)
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 8 * n)

#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef VARIANT
#define VARIANT 0
#endif
#ifndef FAULT
#define FAULT_none 0
#define FAULT_no_compile 1
#define FAULT_no_end_compile 2
#define FAULT_crash_compile 3
#define FAULT_no_launch 4
#define FAULT_far_write 5
#define FAULT_misaligned 6
#define FAULT_trap 7
#define FAULT_reads_past 8
#define FAULT_reads_before 9
#define FAULT_writes_past 10
#define FAULT_writes_input 11
#define FAULT_wrong 12
#define FAULT_unwritten 13
#define FAULT_wavers 14
#define FAULT_no_end 15
#define FAULT_no_end_later 16
#define FAULT_no_memory 17
#define FAULT FAULT_none
#endif

#if FAULT == FAULT_no_compile
#error "this configuration is meant not to compile"
#endif

#if FAULT == FAULT_no_end_compile
// Twice as many steps for every unit of depth: more than any compiler finishes.
template <int DEPTH, int PATH>
struct Steps {
  static constexpr long long value = Steps<DEPTH - 1, 2 * PATH>::value + Steps<DEPTH - 1, 2 * PATH + 1>::value;
};
template <int PATH>
struct Steps<0, PATH> {
  static constexpr long long value = PATH & 1;
};
#endif

// Lives as long as the loaded binary.
__device__ unsigned launches_done;

extern "C" __global__ void every_fault(const float* x, float* y, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * BLOCKDIMX + threadIdx.x);
  if (i >= n) return;
  const bool last = i == n - 1 - VARIANT;
  float value = 2.0f * x[i] + 1.0f;
  if (i == 0) room[VARIANT] = value;

#if FAULT == FAULT_no_end_compile
  value += static_cast<float>(Steps<26, 0>::value);
#endif
#if FAULT == FAULT_crash_compile
  if (last) y[i + (1ll << 44)] = value;
#endif
#if FAULT == FAULT_no_launch
  // The launch alone asks for all that there is, which the space allows: this is beyond it.
  __shared__ volatile float more[256];
  more[threadIdx.x % 256] = value;
#endif
#if FAULT == FAULT_far_write
  // As an integer: NVRTC 13.0 crashes on an index as large as this.
  if (last) *reinterpret_cast<float*>(reinterpret_cast<unsigned long long>(y + i) ^ (1ull << 46)) = value;
#endif
#if FAULT == FAULT_misaligned
  if (last) value += *reinterpret_cast<const volatile float*>(reinterpret_cast<const char*>(x) + 1);
#endif
#if FAULT == FAULT_trap
  if (last) asm volatile("trap;");
#endif
#if FAULT == FAULT_reads_past
  if (last) value += 0.0f * static_cast<const volatile float*>(x)[n + VARIANT];
#endif
#if FAULT == FAULT_reads_before
  if (last) value += 0.0f * static_cast<const volatile float*>(x)[-1 - VARIANT];
#endif
#if FAULT == FAULT_writes_past
  if (last) y[n + VARIANT] = 1.0f;
#endif
#if FAULT == FAULT_writes_input
  if (last) const_cast<float*>(x)[i] = 0.0f;
#endif
#if FAULT == FAULT_wrong
  if (last) value += 1.0f;
#endif
#if FAULT == FAULT_wavers
  if (last && (atomicAdd(&launches_done, 1u) & 1u) != 0) value += 1.0f;
#endif
#if FAULT == FAULT_no_end || FAULT == FAULT_no_end_later
  volatile const float* never_negative = x + i;  // which only we know
#endif
#if FAULT == FAULT_no_end
  while (*never_negative >= static_cast<float>(-VARIANT)) {
  }
#endif
#if FAULT == FAULT_no_end_later
  const bool ends = i != VARIANT || atomicAdd(&launches_done, 1u) < 19;
  while (!ends && *never_negative >= 0.0f) {
  }
#endif
#if FAULT == FAULT_unwritten
  if (!last) y[i] = value;
#else
  y[i] = value;
#endif
}

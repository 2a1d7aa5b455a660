// A kernel for a GPU that is not there: it is compiled by the real compiler, and what a launch of it does is written for
// the fake driver (tests/engine/device/fake_driver) in a string that stands in the binary. KIND is what is wrong with it,
// and everything that is wrong would be faster than everything that is right. Of what is right, VARIANT=12,FLAVOUR=2 is
// the fastest, by three parts in a hundred. What asks for too many threads or too much shared memory does so by what the
// compiler made of it: what the description asks for is kept within the GPU's limits by the space.
#pragma tuner kernel(faults)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 1000000)
#pragma tuner param(KIND, right, does_not_compile, compiles_forever, refused, too_many_threads, too_much_shared, too_large, \
                    faults, faults_timed, misaligned, traps, past_end, before_start, input, input_timed, wrong, unwritten, flaky, \
                    hangs, hangs_timed, dies, killed, faults_racing, hangs_racing, faults_elsewhere, wrong_elsewhere)
#pragma tuner param(VARIANT, 0..15)
#pragma tuner param(FLAVOUR, 0..3)
#pragma tuner constraint(KIND == right || FLAVOUR == 0)
#pragma tuner constraint(KIND != compiles_forever || VARIANT < 2)
#pragma tuner constraint(KIND not in (hangs, hangs_timed) || VARIANT < 5)
#pragma tuner constraint(KIND not in (faults_racing, hangs_racing, faults_elsewhere, wrong_elsewhere) || VARIANT == 0)
#pragma tuner define(NANOSECONDS = KIND == right ? 80000 + 2400 * (((VARIANT * 4 + FLAVOUR) * 5 + 6) % 64) : 40000)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner shared(KIND == too_much_shared ? max_shared_per_block : 0)
#pragma tuner in(values, double, n, uniform(0, 1))
#pragma tuner out(doubled, double, n)
#pragma tuner inout(counts, int32, n)
#pragma tuner scratch(room, float, KIND == too_large ? 1000000000 : 64)
#pragma tuner scalar(n, int32)

#if KIND == KIND_right
#define DOES "right"
#elif KIND == KIND_does_not_compile
#error "this configuration is meant not to compile"
#elif KIND == KIND_compiles_forever
#define DOES "right"
#elif KIND == KIND_refused
#define DOES "refused"
#elif KIND == KIND_too_many_threads
#define DOES "right threads=128"
#elif KIND == KIND_too_much_shared
#define DOES "right shared=1024"
#elif KIND == KIND_too_large
#define DOES "right"
#elif KIND == KIND_faults
#define DOES "faults"
#elif KIND == KIND_faults_timed
#define DOES "faults_timed"
#elif KIND == KIND_misaligned
#define DOES "misaligned"
#elif KIND == KIND_traps
#define DOES "traps"
#elif KIND == KIND_past_end
#define DOES "past_end"
#elif KIND == KIND_before_start
#define DOES "before_start"
#elif KIND == KIND_input
#define DOES "input"
#elif KIND == KIND_input_timed
#define DOES "input_timed"
#elif KIND == KIND_wrong
#define DOES "wrong"
#elif KIND == KIND_unwritten
#define DOES "unwritten"
#elif KIND == KIND_flaky
#define DOES "flaky"
#elif KIND == KIND_hangs
#define DOES "hangs"
#elif KIND == KIND_hangs_timed
#define DOES "hangs_timed"
#elif KIND == KIND_dies
#define DOES "dies"
#elif KIND == KIND_killed
#define DOES "killed"
#elif KIND == KIND_faults_racing
#define DOES "faults_racing"
#elif KIND == KIND_hangs_racing
#define DOES "hangs_racing"
#elif KIND == KIND_faults_elsewhere
#define DOES "faults_elsewhere"
#elif KIND == KIND_wrong_elsewhere
#define DOES "wrong_elsewhere"
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

// The variant makes every binary another one.
extern "C" __device__ const char tuner_fake[] =
    "FAKE:" DOES " time=" TEXT(NANOSECONDS) " variant=" TEXT(VARIANT) "," TEXT(FLAVOUR);

#if KIND == KIND_compiles_forever
#define EIGHT(x) x x x x x x x x
#define MANY(x) EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(x)))))
#else
#define MANY(x) x
#endif

extern "C" __global__ void faults(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  double value = values[i];
  MANY(value = value * values[n - i - 1] + sin(value);)
  doubled[i] = 2 * value;
  counts[i] += 1;
  if (i < 64) room[i] = 1;
}

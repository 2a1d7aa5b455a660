// Doubles every element. Eight configurations do it right, in steps of different length; twenty fault, in three ways,
// and three never end. The array of characters says the same to the driver that stands in for a GPU in the tests.
#pragma tuner kernel(faulty)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 100000000)
#pragma tuner param(KIND, right, faults, hangs; default right)
#pragma tuner param(VARIANT, 0..19; default 0)
#pragma tuner constraint(VARIANT < (KIND == right ? 8 : KIND == faults ? 20 : 3))
#pragma tuner let(BLOCKS = KIND == right ? 132 * (1 + VARIANT) : ceil_div(n, 256))
#pragma tuner define(NANOSECONDS = KIND == right ? 100000 - 5000 * VARIANT : 40000)
#pragma tuner grid(BLOCKS) block(256)
#pragma tuner in(values, double, n, uniform(0, 1))
#pragma tuner out(doubled, double, n)
#pragma tuner inout(counts, int32, n)
#pragma tuner scratch(room, float, 64)
#pragma tuner scalar(n, int32)

#ifndef KIND
#define KIND_right 0
#define KIND_faults 1
#define KIND_hangs 2
#define KIND KIND_right
#define VARIANT 0
#define NANOSECONDS 100000
#endif

#if KIND == KIND_right
#define DOES "right"
#elif KIND == KIND_faults
#define DOES "faults"
#else
#define DOES "hangs"
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
extern "C" __device__ const char tuner_fake[] = "FAKE:" DOES " time=" TEXT(NANOSECONDS) " variant=" TEXT(VARIANT);

extern "C" __global__ void faulty(const double* values, double* doubled, int* counts, float* room, int n) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
#if KIND == KIND_faults
  if (first == VARIANT) {
    // As an integer: an index as large as this crashes some versions of the compiler.
    const auto far = reinterpret_cast<unsigned long long>(doubled) ^ (1ull << (44 + VARIANT % 3));
    if (VARIANT % 3 == 0) *reinterpret_cast<double*>(far) = VARIANT;
    if (VARIANT % 3 == 1) doubled[0] = *reinterpret_cast<const volatile double*>(reinterpret_cast<const char*>(values) + 1);
    if (VARIANT % 3 == 2) asm volatile("trap;");
  }
#elif KIND == KIND_hangs
  volatile const double* never_negative = values;  // which only we know
  while (first == VARIANT && never_negative[VARIANT] >= 0) {
  }
#endif
  for (int i = first; i < n; i += static_cast<int>(gridDim.x * blockDim.x)) {
    doubled[i] = 2 * values[i];
    counts[i] += 1;
  }
  if (first < 64) room[first] = 1;
}

// Kernels that count their launches in a global variable, for the fake driver (see faults.cu): what skips its work from
// some launch on would be the fastest, then what sets its counter back, then what only counts.
#pragma tuner kernel(state)
#pragma tuner problem(n: size)
#pragma tuner param(KIND, right, counts, resets, skips_from_5, skips_from_50, skips_from_500)
#pragma tuner param(VARIANT, 0..3)
#pragma tuner define(NANOSECONDS = (KIND == right ? 90000 : KIND == counts ? 80000 : KIND == resets ? 70000 : 30000) \
                     + 3000 * VARIANT)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(values, double, n, uniform(0, 1))
#pragma tuner out(doubled, double, n)
#pragma tuner inout(counts, int32, n)
#pragma tuner scratch(room, float, 64)
#pragma tuner scalar(n, int32)

#if KIND == KIND_right
#define DOES "right"
#elif KIND == KIND_counts
#define DOES "right globals=counts"
#elif KIND == KIND_resets
#define DOES "resets globals=resets"
#elif KIND == KIND_skips_from_5
#define DOES "skips from=5"
#elif KIND == KIND_skips_from_50
#define DOES "skips from=50"
#elif KIND == KIND_skips_from_500
#define DOES "skips from=500"
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

extern "C" __device__ const char tuner_fake[] = "FAKE:" DOES " time=" TEXT(NANOSECONDS) " variant=" TEXT(VARIANT);

#if KIND != KIND_right
static __device__ double launches_done;
#endif

extern "C" __global__ void state(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
#if KIND != KIND_right
  if (i == 0) launches_done = KIND == KIND_resets ? 0 : launches_done + 1;
#endif
  doubled[i] = 2 * values[i];
  counts[i] += 1;
  if (i < 64) room[i] = 1;
}

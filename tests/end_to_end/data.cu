// A kernel with everything that does not come from a generator: data from a file, and an array in constant memory that
// comes from another. It is compiled by the real compiler, and run by the fake driver (see faults.cu), which adds
// `offsets` to what it doubles.
#pragma tuner kernel(data)
#pragma tuner problem(n: size, TYPE: constant = double)
#pragma tuner problem_constraint(1 <= n <= 1000000)
#pragma tuner param(VARIANT, 3, 0, 1, 2) param(KIND, right, wrong)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(values, TYPE, n, file("values of \"data\".npy"))
#pragma tuner constant(offsets, double, 4, file("offsets.npy"))
#pragma tuner out(doubled, double, n) inout(counts, int32, n) scratch(room, float, 64) scalar(n, int32)

#if KIND == KIND_right
#define DOES "right"
#else
#define DOES "wrong"
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

extern "C" __device__ const char tuner_fake[] = "FAKE:" DOES " time=9" TEXT(VARIANT) "000";

__constant__ double offsets[4];

__global__ void data(const TYPE* values, double* doubled, int* counts, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = 2 * values[i] + offsets[i % 4] + VARIANT - VARIANT;
  counts[i] += 1;
  if (i < 64) room[i] = 1;
}

// A kernel of six arguments and next to no work, to see what a launch costs the host. The array of characters says what
// a launch does where the tests' driver stands in for a GPU.
#pragma tuner kernel(six_arguments)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(values, double, n, uniform(0, 1))
#pragma tuner out(doubled, double, n)
#pragma tuner inout(counts, int32, n)
#pragma tuner scratch(room, float, 64)
#pragma tuner scalar(n, int32)
#pragma tuner scalar(factor, double, value 2)

extern "C" __device__ const char tuner_fake[] = "FAKE:right time=2000";

extern "C" __global__ void six_arguments(const double* values, double* doubled, int* counts, float* room, int n,
                                         double factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = factor * values[i];
  counts[i] += 1;
  if (i < 64) room[i] = 1;
}

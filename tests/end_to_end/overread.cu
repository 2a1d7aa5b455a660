// A kernel for the fake driver (see faults.cu) that reads 100 bytes behind `counts`, where KIND does not say otherwise.
#pragma tuner kernel(overread)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1000 <= n <= 1000)
#pragma tuner param(KIND, reads, writes, right)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(values, double, n, uniform(0, 1))
#pragma tuner out(doubled, double, n)
#pragma tuner inout(counts, int32, n)
#pragma tuner scratch(room, float, 64)
#pragma tuner scalar(n, int32)
#pragma tuner constant(table, float, 4, iota())

#if KIND == KIND_reads
#define DOES "right reads=2:4099 time=80000"
#elif KIND == KIND_writes
#define DOES "past_end time=60000"
#else
#define DOES "right time=90000"
#endif

__constant__ float table[6] = {0, 0, 0, 0, 5, 5};

extern "C" __device__ const char tuner_fake[] = "FAKE:" DOES;

extern "C" __global__ void overread(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = 2 * values[i] + table[i % 6];
  counts[i] += counts[i + 25];
  if (i < 64) room[i] = 1;
}

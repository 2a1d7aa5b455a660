// Sums that are right only if the kernel was given what its data files hold and what is described for its arrays in
// constant memory: the reference reads neither, and knows what must be in them.
#pragma tuner kernel(weighted)
#pragma tuner reference(by_formula)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(8 <= n <= 100000000)
#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512; default 128)
#pragma tuner param(WEIGHTS_IN, constant_memory, registers)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, int32, n, file("x, from 0.npy"))
#pragma tuner constant(weights, int64, 8, file("weights.npy")) constant(factors, longlong2, 1, iota(3, 4))
#pragma tuner out(y, int64, n) scalar(n, int32)

#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#define WEIGHTS_IN 0
#define WEIGHTS_IN_constant_memory 0
#endif

__constant__ long long weights[8];
namespace inner {
static __constant__ longlong2 factors[1];
}

__global__ void weighted(const int* x, long long* y, int n) {
  const int i = static_cast<int>(blockIdx.x) * BLOCKDIMX + static_cast<int>(threadIdx.x);
  if (i >= n) return;
  long long sum = 0;
#if WEIGHTS_IN == WEIGHTS_IN_constant_memory
  for (int j = 0; j < 8; ++j) sum += weights[j] * x[(i + j) % n];
#else
  long long mine[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) mine[j] = weights[j];
#pragma unroll
  for (int j = 0; j < 8; ++j) sum += mine[j] * x[(i + j) % n];
#endif
  y[i] = inner::factors[0].x * sum + inner::factors[0].y;
}

// x[i] is i, weights[j] is j + 1.
extern "C" __global__ void by_formula(const int*, long long* y, int n) {
  const int i = static_cast<int>(blockIdx.x) * BLOCKDIMX + static_cast<int>(threadIdx.x);
  if (i >= n) return;
  long long sum = 0;
  for (int j = 0; j < 8; ++j) sum += (j + 1LL) * ((i + j) % n);
  y[i] = 3 * sum + 7;
}

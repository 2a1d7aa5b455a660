// Divergence. How often a thread's loop runs depends on its element: a warp runs as often as its longest. Threads take
// elements in order, or each block sorts them by length first, into sixteen kinds. The sorting costs two barriers and a
// few atomics of shared memory; the loops, whose arithmetic takes the time, are the same.
#pragma tuner kernel(iterate)
#pragma tuner problem(n: size = 1081344, longest: size = 1024) problem_constraint(1 <= n <= 100000000)
#pragma tuner problem_constraint(0 <= longest <= 100000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(x, float, n) out(y, float, n)
#pragma tuner scalar(n, int32) scalar(longest, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void iterate(const float* x, float* y, int n, int longest) {
  int element = blockIdx.x * 256 + threadIdx.x;
#if VARIANT == 1
  __shared__ int of_kind[16], order[256];
  const int kind = element < n ? min(static_cast<int>(x[element] * 16), 15) : 15;
  if (threadIdx.x < 16) of_kind[threadIdx.x] = 0;
  __syncthreads();
  int place = atomicAdd(of_kind + kind, 1);
  __syncthreads();
  for (int i = 0; i < kind; ++i) place += of_kind[i];
  order[place] = element;
  __syncthreads();
  element = order[threadIdx.x];
#endif
  if (element >= n) return;
  const float length = x[element];
  const int count = static_cast<int>(length * length * length * longest);
  float a = length, b = 1 - length;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const float c = a;
    a = 0.5f * a + 0.125f * b;
    b = 0.5f * b - 0.125f * c;
    a = a * a + 0.25f;
    b = b * b + 0.125f;
  }
  y[element] = a + b;
}

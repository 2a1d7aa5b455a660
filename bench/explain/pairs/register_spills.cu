// Sixty-four numbers of a thread, each updated from its neighbour: in the 32 registers that eight blocks of 256 threads
// leave to a thread, or in as many as it needs.
#pragma tuner kernel(ring)
#pragma tuner problem(n: size = 270336, steps: size = 100) problem_constraint(1 <= n <= 10000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(start, float, n) out(result, float, n)
#pragma tuner scalar(n, int32) scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void __launch_bounds__(256, VARIANT == 0 ? 8 : 2)
    ring(const float* start, float* result, int n, int steps) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  if (thread >= n) return;
  constexpr int count = 64;
  float number[count];
#pragma unroll
  for (int i = 0; i < count; ++i) number[i] = start[thread] + 0.01f * i;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const float first = number[0];
#pragma unroll
    for (int i = 0; i < count; ++i) number[i] = 0.5f * number[i] + 0.25f * (i + 1 < count ? number[i + 1] : first);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < count; ++i) sum += number[i];
  result[thread] = sum;
}

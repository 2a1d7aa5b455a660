// Takes a time in proportion to STEPS, about 0.2 ms on an H200, and computes the same whatever it is: for differences
// of known size. The steps cannot be left out, because the compiler does not know that `one` is one.
#pragma tuner kernel(steps)
#pragma tuner problem(n: size = 16384)
#pragma tuner param(STEPS, 80000, 80400, 81600, 84000; default 80000)
#pragma tuner grid(ceil_div(n, 128)) block(128)
#pragma tuner in(values, float, n, uniform(0, 1)) out(results, float, n) scalar(one, float, value(1)) scalar(n, int32)
extern "C" __global__ void steps(const float* values, float* results, float one, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float x = values[i];
  for (int step = 0; step < STEPS; ++step) x = x * one;
  results[i] = x;
}

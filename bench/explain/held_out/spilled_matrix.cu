// Register spills. A thread multiplies a 4x4 matrix of doubles by another, again and again: in the 32 registers that
// sixteen blocks of 128 threads leave to a thread, or in as many as it needs. What is computed is the same; more warps
// fit where registers are spilled.
#pragma tuner kernel(powers)
#pragma tuner problem(n: size = 270336, steps: size = 128) problem_constraint(1 <= n <= 10000000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(n, 128)) block(128)
#pragma tuner in(factors, double, n * 16) out(traces, double, n)
#pragma tuner scalar(n, int32) scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void __launch_bounds__(128, VARIANT == 0 ? 16 : 4)
    powers(const double* factors, double* traces, int n, int steps) {
  const int thread = blockIdx.x * 128 + threadIdx.x;
  if (thread >= n) return;
  double factor[4][4], power[4][4];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    factor[i / 4][i % 4] = 0.25 * factors[static_cast<long long>(i) * n + thread];
    power[i / 4][i % 4] = factor[i / 4][i % 4];
  }
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int row = 0; row < 4; ++row) {
      double product[4];
#pragma unroll
      for (int column = 0; column < 4; ++column) {
        product[column] = 0.125;
#pragma unroll
        for (int i = 0; i < 4; ++i) product[column] += power[row][i] * factor[i][column];
      }
#pragma unroll
      for (int column = 0; column < 4; ++column) power[row][column] = product[column];
    }
  }
  traces[thread] = power[0][0] + power[1][1] + power[2][2] + power[3][3];
}

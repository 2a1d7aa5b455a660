// Neighbouring threads take elements a row apart, and a way that is never taken needs registers: what counts is the
// former.
#pragma tuner kernel(scale)
#pragma tuner problem(rows: size = 4096, columns: size = 8192, mode: size = 0) problem_constraint(mode == 0)
#pragma tuner problem_constraint(1 <= rows <= 20000) problem_constraint(1 <= columns <= 20000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(rows * columns, 256)) block(256)
#pragma tuner in(x, float, rows * columns) out(y, float, rows * columns)
#pragma tuner scalar(rows, int32) scalar(columns, int32) scalar(mode, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void scale(const float* x, float* y, int rows, int columns, int mode) {
  const int thread = blockIdx.x * 256 + threadIdx.x, n = rows * columns;
  if (thread >= n) return;
  float more = 1.0f;
#if VARIANT == 0
  const int row = thread % rows, column = thread / rows;
  if (mode != 0) {
    float kept[24];
#pragma unroll
    for (int i = 0; i < 24; ++i) kept[i] = x[(thread + i * 33) % n];
#pragma unroll 1
    for (int round = 0; round < mode; ++round) {
#pragma unroll
      for (int i = 0; i < 24; ++i) kept[i] = kept[i] * kept[(i + 1) % 24] + 1.0f;
    }
#pragma unroll
    for (int i = 0; i < 24; ++i) more += kept[i];
  }
#else
  const int row = thread / columns, column = thread % columns;
#endif
  y[row * columns + column] = 2.0f * x[row * columns + column] + more;
}

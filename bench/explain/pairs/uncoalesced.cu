// Neighbouring threads take elements that lie a row apart, or neighbouring ones.
#pragma tuner kernel(scale)
#pragma tuner problem(rows: size = 4096, columns: size = 8192)
#pragma tuner problem_constraint(1 <= rows <= 20000) problem_constraint(1 <= columns <= 20000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(ceil_div(rows * columns, 256)) block(256)
#pragma tuner in(x, float, rows * columns) out(y, float, rows * columns)
#pragma tuner scalar(rows, int32) scalar(columns, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void scale(const float* x, float* y, int rows, int columns) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  if (thread >= rows * columns) return;
#if VARIANT == 0
  const int row = thread % rows, column = thread / rows;
#else
  const int row = thread / columns, column = thread % columns;
#endif
  y[row * columns + column] = 2.0f * x[row * columns + column] + 1.0f;
}

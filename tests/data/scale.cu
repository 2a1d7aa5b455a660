// A small kernel whose space is recorded in scale.csv, for tests of the program.
#pragma tuner kernel(scale)
#pragma tuner problem(n: size)
#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)
#pragma tuner param(UNROLL, 1, 2, 4; default 1)
#pragma tuner param(LAYOUT, blocked, strided; default strided)
#pragma tuner constraint(BLOCK * UNROLL <= 1024)
#pragma tuner grid(ceil_div(n, BLOCK * UNROLL)) block(BLOCK)
#pragma tuner in(x, float, n, uniform(0, 1))
#pragma tuner out(y, float, n)
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 8 * n)

#ifndef BLOCK
#define BLOCK 128
#define UNROLL 1
#define LAYOUT_blocked 0
#define LAYOUT_strided 1
#define LAYOUT LAYOUT_strided
#endif

extern "C" __global__ void scale(const float* x, float* y, int n) {
  const int first = blockIdx.x * BLOCK * UNROLL;
  for (int i = 0; i < UNROLL; ++i) {
#if LAYOUT == LAYOUT_blocked
    const int at = first + threadIdx.x * UNROLL + i;
#else
    const int at = first + i * BLOCK + threadIdx.x;
#endif
    if (at < n) y[at] = 2 * x[at];
  }
}

// Linear interpolation in a table of 1,024 floats of both signs, at 4,194,304 places.
// What varies: three forms of it, and the threads of a block.
// The mistake: places in the last cell are reckoned from the one before: off by as much as the result.
#pragma tuner kernel(interpolation)
#pragma tuner problem(n: size = 4194304, cells: size = 1023)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(FORM, difference, weights, fused) param(MISTAKE, 0, 1)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(table, float, cells + 1, normal(0, 1)) in(place, float, n) out(y, float, n)
#pragma tuner scalar(n, int32) scalar(cells, int32)

__global__ void interpolation(const float* table, const float* place, float* y, int n, int cells) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const float at = place[i] * cells;
  const int cell = min(static_cast<int>(at), cells - 1 - MISTAKE);
  const float t = at - cell, a = table[cell], b = table[cell + 1];
#if FORM == FORM_difference
  y[i] = __fadd_rn(a, __fmul_rn(t, b - a));
#elif FORM == FORM_weights
  y[i] = __fadd_rn(__fmul_rn(1 - t, a), __fmul_rn(t, b));
#else
  y[i] = fmaf(t, b, fmaf(-t, a, a));
#endif
}

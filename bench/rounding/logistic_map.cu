// 24 steps of the logistic map, which is chaotic: rounding moves elements by up to a tenth of their size.
// What varies: three forms of a step.
// The mistake: there are 23 steps.
#pragma tuner kernel(logistic_map)
#pragma tuner problem(n: size = 1048576)
#pragma tuner param(BLOCK, 128, 256) param(FORM, product, difference, fused) param(MISTAKE, 0, 1)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(first, float, n, uniform(0.1, 0.9)) out(last, float, n) scalar(n, int32)

__global__ void logistic_map(const float* first, float* last, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float x = first[i];
  const float r = 3.9f;
  for (int step = 0; step < 24 - MISTAKE; ++step) {
#if FORM == FORM_product
    x = __fmul_rn(__fmul_rn(r, x), __fsub_rn(1, x));
#elif FORM == FORM_difference
    x = __fmul_rn(r, __fsub_rn(x, __fmul_rn(x, x)));
#else
    x = fmaf(-r * x, x, __fmul_rn(r, x));
#endif
  }
  last[i] = x;
}

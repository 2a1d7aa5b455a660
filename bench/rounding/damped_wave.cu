// exp(-x) sin(pi x) at 4,194,304 points from 0 to 1.
// What varies: exact or approximate exponential and sine.
// The mistake: pi is 3.14, which is up to 1.6e-3 beside results of up to 0.7.
#pragma tuner kernel(damped_wave)
#pragma tuner problem(n: size = 4194304)
#pragma tuner param(BLOCK, 128, 256) param(EXP, exact, fast) param(SIN, exact, fast, of_pi) param(MISTAKE, 0, 1)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)

__global__ void damped_wave(const float* points, float* values, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const float x = points[i];
  const float pi = MISTAKE ? 3.14f : 3.14159265f;
#if SIN == SIN_exact
  const float wave = sinf(pi * x);
#elif SIN == SIN_fast
  const float wave = __sinf(pi * x);
#else
  const float wave = sinpif(MISTAKE ? x * (3.14f / 3.14159265f) : x);
#endif
  values[i] = wave * (EXP == EXP_exact ? expf(-x) : __expf(-x));
}

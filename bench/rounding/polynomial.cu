// A polynomial of degree 15, with coefficients of both signs, at 4,194,304 points from -1 to 1.
// What varies: by Horner, by Estrin, even and odd powers apart, or a sum of powers.
// The mistake: the last coefficient is left out, which is as large as the result near 1 and -1.
#pragma tuner kernel(polynomial)
#pragma tuner problem(n: size = 4194304)
#pragma tuner param(BLOCK, 128, 256, 512; default 256) param(FORM, horner, estrin, even_odd, powers) \
    param(MISTAKE, 0, 1)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner constant(coefficient, float, 16, normal(0, 1))
#pragma tuner in(x, float, n, uniform(-1, 1)) out(y, float, n) scalar(n, int32)

__constant__ float coefficient[16];

__global__ void polynomial(const float* points, float* values, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const float x = points[i];
  float c[16];
  for (int k = 0; k < 16; ++k) c[k] = MISTAKE && k == 15 ? 0 : coefficient[k];
#if FORM == FORM_horner
  float y = c[15];
  for (int k = 14; k >= 0; --k) y = y * x + c[k];
#elif FORM == FORM_estrin
  float power = x;
  for (int terms = 8; terms > 0; terms /= 2, power *= power) {
    for (int k = 0; k < terms; ++k) c[k] = c[2 * k] + c[2 * k + 1] * power;
  }
  const float y = c[0];
#elif FORM == FORM_even_odd
  float even = c[14], odd = c[15];
  for (int k = 12; k >= 0; k -= 2) even = even * (x * x) + c[k], odd = odd * (x * x) + c[k + 1];
  const float y = even + odd * x;
#else
  float y = 0, power = 1;
  for (int k = 0; k < 16; ++k, power *= x) y += c[k] * power;
#endif
  values[i] = y;
}

// 32,768 tridiagonal systems of 64 unknowns, a thread each.
// What varies: elimination from the first row or from the last, and the division.
// The mistake: where elimination ends, the last row takes no account of its neighbour: a tenth of an unknown.
#pragma tuner kernel(thomas)
#pragma tuner problem(systems: size = 32768, n: size = 64)
#pragma tuner param(BLOCK, 64, 128) param(FROM, first, last) param(DIVIDE, exact, reciprocal, fast) param(MISTAKE, 0, 1)
#pragma tuner grid(systems // BLOCK) block(BLOCK)
#pragma tuner in(low, float, systems * n, uniform(-1, 1)) in(middle, float, systems * n, uniform(3, 4))
#pragma tuner in(high, float, systems * n, uniform(-1, 1)) in(right, float, systems * n, normal(0, 1))
#pragma tuner out(x, float, systems * n) scratch(factor, float, systems * n) scalar(systems, int32) scalar(n, int32)

__device__ float quotient(float a, float b) {
#if DIVIDE == DIVIDE_exact
  return a / b;
#elif DIVIDE == DIVIDE_reciprocal
  return a * (1 / b);
#else
  return __fdividef(a, b);
#endif
}

__global__ void thomas(const float* low, const float* middle, const float* high, const float* right, float* x,
                       float* factor, int systems, int n) {
  const int system = blockIdx.x * BLOCK + threadIdx.x;
  const float* const behind = FROM == FROM_first ? low : high;
  const float* const ahead = FROM == FROM_first ? high : low;
  const auto at = [=](int row) { return (FROM == FROM_first ? row : n - 1 - row) * systems + system; };
  float before = 0, before_factor = 0;
  for (int row = 0; row < n; ++row) {
    const int i = at(row);
    const float coupling = row == 0 || (MISTAKE && row == n - 1) ? 0 : behind[i];
    const float pivot = middle[i] - coupling * before_factor;
    factor[i] = before_factor = quotient(ahead[i], pivot);
    x[i] = before = quotient(right[i] - coupling * before, pivot);
  }
  for (int row = n - 2; row >= 0; --row) x[at(row)] = before = x[at(row)] - factor[at(row)] * before;
}

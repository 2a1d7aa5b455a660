// Eight steps of heat along a line of 4,194,304 cells, with 0 outside of it.
// What varies: the cells of a block, which computes what it needs of its neighbours itself, and the form of a step.
// The mistake: in the last step the last cell takes what its neighbour was at first, about half of its value.
#pragma tuner kernel(stencil_steps)
#pragma tuner problem(n: size = 4194304)
#pragma tuner param(BLOCK, 128, 256, 512; default 256) param(FORM, difference, weights, fused) param(MISTAKE, 0, 1)
#pragma tuner define(STEPS = 8) let(CELLS = BLOCK - 2 * STEPS)
#pragma tuner grid(ceil_div(n, CELLS)) block(BLOCK)
#pragma tuner in(before, float, n, normal(0, 1)) out(after, float, n) scalar(n, int32)

__global__ void stencil_steps(const float* before, float* after, int n) {
  __shared__ float cell[BLOCK + 2];
  const int i = static_cast<int>(blockIdx.x) * (BLOCK - 2 * STEPS) - STEPS + static_cast<int>(threadIdx.x);
  const int me = threadIdx.x + 1;
  const bool inside = i >= 0 && i < n;
  cell[me] = inside ? before[i] : 0;
  if (threadIdx.x < 2) cell[threadIdx.x * (BLOCK + 1)] = 0;
  const float k = 0.3f;
  for (int step = 0; step < STEPS; ++step) {
    __syncthreads();
    const float own = cell[me], right = cell[me + 1];
    const float left = MISTAKE && step == STEPS - 1 && i == n - 1 ? before[n - 2] : cell[me - 1];
    __syncthreads();
#if FORM == FORM_difference
    const float next = own + k * (left - 2 * own + right);
#elif FORM == FORM_weights
    const float next = __fadd_rn(__fmul_rn(1 - 2 * k, own), __fmul_rn(k, left + right));
#else
    const float next = fmaf(k, left, fmaf(k, right, (1 - 2 * k) * own));
#endif
    if (inside) cell[me] = next;
  }
  if (threadIdx.x >= STEPS && threadIdx.x < BLOCK - STEPS && inside) after[i] = cell[me];
}

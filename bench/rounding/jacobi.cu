// A Jacobi sweep over a grid of 2,048 x 2,048 cells that is closed to a torus, and the residual before it.
// What varies: the order in which four neighbours are added, and the division.
// The mistake: cells of the last column take their left neighbour for the right one, which lies in the first column.
#pragma tuner kernel(jacobi)
#pragma tuner problem(n: size = 2048)
#pragma tuner param(BLOCK, 128, 256) param(NEIGHBOURS, sequence, pairs, fused) param(DIVIDE, exact, reciprocal)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(n // BLOCK, n) block(BLOCK)
#pragma tuner in(before, float, n * n, normal(0, 1)) in(source, float, n * n, normal(0, 1))
#pragma tuner out(after, float, n * n) out(residual, float, n * n) scalar(n, int32)

__global__ void jacobi(const float* before, const float* source, float* after, float* residual, int n) {
  const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y, i = y * n + x;
  const int right_x = x < n - 1 ? x + 1 : MISTAKE ? x - 1 : 0;
  const float left = before[y * n + (x + n - 1) % n], right = before[y * n + right_x];
  const float above = before[(y + n - 1) % n * n + x], below = before[(y + 1) % n * n + x];
  const float weight = 0.9f, diagonal = 4.1f;
#if NEIGHBOURS == NEIGHBOURS_sequence
  const float sum = __fadd_rn(source[i], __fmul_rn(weight, left + right + above + below));
#elif NEIGHBOURS == NEIGHBOURS_pairs
  const float sum = __fadd_rn(source[i], __fmul_rn(weight, (left + right) + (above + below)));
#else
  const float sum = fmaf(weight, left, fmaf(weight, right, fmaf(weight, above, fmaf(weight, below, source[i]))));
#endif
  after[i] = DIVIDE == DIVIDE_exact ? sum / diagonal : sum * (1 / diagonal);
  residual[i] = sum - diagonal * before[i];
}

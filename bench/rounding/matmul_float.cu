// The product of two matrices of 512 x 512 floats of both signs.
// What varies: the tile, and how products are added: fused, rounded before, in two chains, or by Kahan.
// The mistake: the last of 512 terms is missing, about 1/23 of the result's spread.
#pragma tuner kernel(matmul_float)
#pragma tuner problem(n: size = 512)
#pragma tuner param(TILE, 8, 16, 32; default 16) param(SUM, fused, rounded, two_chains, kahan) param(MISTAKE, 0, 1)
#pragma tuner grid(n // TILE, n // TILE) block(TILE, TILE)
#pragma tuner in(a, float, n * n, uniform(-1, 1)) in(b, float, n * n, uniform(-1, 1)) out(c, float, n * n)
#pragma tuner scalar(n, int32)

__global__ void matmul_float(const float* a, const float* b, float* c, int n) {
  __shared__ float part_a[TILE][TILE], part_b[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sum = 0;
  [[maybe_unused]] float other = 0;  // the second chain, or what Kahan's sum has lost
  for (int first = 0; first < n; first += TILE) {
    part_a[y][x] = a[row * n + first + x];
    part_b[y][x] = b[(first + y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      if (MISTAKE && first + k == n - 1) continue;
#if SUM == SUM_fused
      sum = fmaf(part_a[y][k], part_b[k][x], sum);
#elif SUM == SUM_rounded
      sum = __fadd_rn(sum, __fmul_rn(part_a[y][k], part_b[k][x]));
#elif SUM == SUM_two_chains
      (k % 2 ? other : sum) += part_a[y][k] * part_b[k][x];
#else
      const float term = fmaf(part_a[y][k], part_b[k][x], -other), more = __fadd_rn(sum, term);
      other = __fsub_rn(__fsub_rn(more, sum), term);
      sum = more;
#endif
    }
    __syncthreads();
  }
  c[row * n + column] = SUM == SUM_two_chains ? sum + other : sum;
}

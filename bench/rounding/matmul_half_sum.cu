// The product of two matrices of 256 x 256 halves of both signs, summed in half throughout.
// What varies: the tile, and how products are added: fused, rounded before, in two chains, or a sum for each tile.
// The mistake: the last 32 of 256 terms are missing, a third of the result's spread.
#include <cuda_fp16.h>

#pragma tuner kernel(matmul_half_sum)
#pragma tuner problem(n: size = 256)
#pragma tuner param(TILE, 8, 16, 32; default 16) param(SUM, fused, rounded, two_chains, by_tile) param(MISTAKE, 0, 1)
#pragma tuner grid(n // TILE, n // TILE) block(TILE, TILE)
#pragma tuner in(a, half, n * n, uniform(-1, 1)) in(b, half, n * n, uniform(-1, 1)) out(c, half, n * n)
#pragma tuner scalar(n, int32)

__global__ void matmul_half_sum(const __half* a, const __half* b, __half* c, int n) {
  __shared__ __half part_a[TILE][TILE], part_b[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  __half sum = 0.f;
  [[maybe_unused]] __half other = 0.f;  // the second chain, or the sum of a tile
  for (int first = 0; first < n - 32 * MISTAKE; first += TILE) {
    part_a[y][x] = a[row * n + first + x];
    part_b[y][x] = b[(first + y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      const __half left = part_a[y][k], right = part_b[k][x];
#if SUM == SUM_fused
      sum = __hfma(left, right, sum);
#elif SUM == SUM_rounded
      sum = __hadd_rn(sum, __hmul_rn(left, right));
#elif SUM == SUM_two_chains
      __half& chain = k % 2 ? other : sum;
      chain = __hfma(left, right, chain);
#else
      other = __hfma(left, right, other);
#endif
    }
#if SUM == SUM_by_tile
    sum = __hadd(sum, other);
    other = 0.f;
#endif
    __syncthreads();
  }
  c[row * n + column] = SUM == SUM_two_chains ? __hadd(sum, other) : sum;
}

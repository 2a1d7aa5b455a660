// The product of two matrices of 512 x 512 halves of both signs, summed in float and rounded to half at the end.
// What varies: the tile, and how products are added: fused, in two chains, or a sum for each tile.
// The mistake: the last column is computed from its neighbour's of the second matrix: as large as the result.
#include <cuda_fp16.h>

#pragma tuner kernel(matmul_half)
#pragma tuner problem(n: size = 512)
#pragma tuner param(TILE, 8, 16, 32; default 16) param(SUM, fused, two_chains, by_tile) param(MISTAKE, 0, 1)
#pragma tuner grid(n // TILE, n // TILE) block(TILE, TILE)
#pragma tuner in(a, half, n * n, uniform(-1, 1)) in(b, half, n * n, uniform(-1, 1)) out(c, half, n * n)
#pragma tuner scalar(n, int32)

__global__ void matmul_half(const __half* a, const __half* b, __half* c, int n) {
  __shared__ float part_a[TILE][TILE], part_b[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  const int from = MISTAKE && column == n - 1 ? n - 2 : column;
  float sum = 0;
  [[maybe_unused]] float other = 0;  // the second chain, or the sum of a tile
  for (int first = 0; first < n; first += TILE) {
    part_a[y][x] = __half2float(a[row * n + first + x]);
    part_b[y][x] = __half2float(b[(first + y) * n + from]);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      const float product = part_a[y][k] * part_b[k][x];
#if SUM == SUM_fused
      sum += product;
#elif SUM == SUM_two_chains
      (k % 2 ? other : sum) += product;
#else
      other += product;
#endif
    }
#if SUM == SUM_by_tile
    sum += other;
    other = 0;
#endif
    __syncthreads();
  }
  c[row * n + column] = __float2half(sum + other);
}

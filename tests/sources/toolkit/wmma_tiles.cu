#include <cuda_fp16.h>
#include <mma.h>
#include <cstdint>

#pragma tuner kernel(wmma_tiles)
#pragma tuner problem(n: size = 256)
#pragma tuner param(WARPS, 4, 1, 2)
#pragma tuner grid(ceil_div(n, 16 * WARPS), n / 16) block(32, WARPS)
#pragma tuner in(a, half, n * n) in(b, half, n * n) out(c, float, n * n) scalar(n, int32)
using namespace nvcuda;

__global__ void wmma_tiles(const half* a, const half* b, float* c, int n) {
  const int row = (blockIdx.x * WARPS + threadIdx.y) * 16, column = blockIdx.y * 16;
  if (row >= n) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

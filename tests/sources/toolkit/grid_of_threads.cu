#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#pragma tuner kernel(grid_of_threads)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
namespace cg = cooperative_groups;

__global__ void grid_of_threads(const float* x, float* y, int n) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const std::size_t i = cg::this_grid().thread_rank();
  float value = i < static_cast<std::size_t>(n) ? x[i] : 0;
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_xor(value, offset);
  if (i < static_cast<std::size_t>(n)) y[i] = value;
}

int main() {
  const int n = 4096;
  std::vector<float> host(n, 1.0f);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  grid_of_threads<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
  cudaDeviceSynchronize();
  std::cout << "done" << std::endl;
  return 0;
}

#include <map>
#include <string>
#include <cuda_runtime_api.h>

#pragma tuner kernel(app::kernels::namespaces)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
namespace app {
namespace kernels {
__global__ void namespaces(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = -x[i];
}
}  // namespace kernels

namespace {
struct Options {
  int device = 0;
  const char* name = "x";
};
bool parse(const std::map<std::string, std::string>& words, Options& options) {
  return words.count("device") > 0 && options.device == 0;
}
}  // namespace

void run(const float* x, float* y, int n, cudaStream_t stream) {
  auto grid = [n](int block) { return (n + block - 1) / block; };
  kernels::namespaces<<<grid(BLOCK), BLOCK, 0, stream>>>(x, y, n);
}
}  // namespace app

#include <vector>

#pragma tuner kernel(launcher<float>)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
using namespace std;

void launch(const vector<float>& in, vector<float>& out, cudaStream_t stream = nullptr);

template <typename T>
__global__ void launcher(const T* x, T* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + 1;
}

void launch(const vector<float>& in, vector<float>& out, cudaStream_t stream) {
  const int n = static_cast<int>(in.size());
  launcher<float> <<<dim3((n + BLOCK - 1) / BLOCK), dim3(BLOCK), 0, stream>>>(in.data(), out.data(), n);
}

extern "C" int run(int argc, char** argv) {
  vector<float> a(10), b(10);
  launch(a, b);
  return argc;
}

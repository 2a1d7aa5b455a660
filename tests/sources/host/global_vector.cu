#pragma tuner kernel(global_vector)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#include <vector>
std::vector<float> input(4096);

__global__ void global_vector(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i];
}

int main() {
  global_vector<<<16, BLOCK>>>(input.data(), input.data(), 4096);
}

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#pragma tuner kernel(reference_and_timer)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void reference(const std::vector<float>& x, std::vector<float>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * x[i];
}

__host__ __device__ inline float square(float value) { return value * value; }

__global__ void reference_and_timer(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = square(x[i]);
}

int main(int argc, char* argv[]) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096;
  std::vector<float> x(n), y(n), expected(n);
  const double begin = seconds();
#ifdef VERIFY
  if (argc > 2) {
#else
  {
#endif
    reference(x, expected);
  }
  reference_and_timer<<<n / BLOCK, BLOCK>>>(x.data(), y.data(), n);
  std::printf("%f s\n", seconds() - begin);
}

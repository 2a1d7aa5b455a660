#include <iostream>
#include <memory>

#pragma tuner kernel(lambdas_and_strings)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void lambdas_and_strings(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  auto scaled = [=](float value) { return value * 3; };
  y[i] = scaled(x[i]);
}

int main() {
  const char* text = R"({ not a brace: <<< )";
  char brace = '{';
  std::cerr << text << brace << "}" << std::endl;  // } nor here
  std::unique_ptr<float[]> x(new float[4096]);
  lambdas_and_strings<<<16, BLOCK>>>(x.get(), x.get(), 4096);
}

// Refused: a lambda cannot take its mark from a macro here: leave the macro out
#pragma tuner kernel(marked_by_macro)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#define HD __host__ __device__
__global__ void marked_by_macro(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const auto once = [] HD(float a) { return a + 1; };
  if (i < n) y[i] = once(x[i]);
}

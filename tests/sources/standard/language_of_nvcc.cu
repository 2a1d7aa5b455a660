// What nvcc's --extended-lambda accepts, its integers of 128 bits, and a word of C that C++17 has no more.
#pragma tuner kernel(::nvcc::more<>)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#define LAMBDA [=] __host__ __device__
namespace nvcc {
template <typename F>
__device__ float apply(F f, float v) {
  return f(v);
}
[[nodiscard]] __device__ float kept(float v) { return v; }
template <int N = 2>
__global__ void more(const float* x, float* y, int n) {
  register int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const auto once = [] __device__(float a) { return a + 1; };
  const int at[2] = {1, 2};
  y[i] = apply(once, x[i]) + apply(LAMBDA(float a) { return a * N; }, kept(x[i])) +
         apply([last = at[1]] __device__ (float a) mutable { return a * last++; }, float((__int128)i * i >> 3));
}
}  // namespace nvcc

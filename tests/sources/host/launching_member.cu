// A class that the kernel uses, with members of the host beside those of the device.
#include <cstdio>
#include <vector>
#pragma tuner kernel(launching_member)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#define HD __host__ __device__
class Scale;
__global__ void launching_member(const float* x, float* y, int n);
class Scale {
 public:
  explicit Scale(float by) : by_(by), twice_{2 * by} { std::printf("%f\n", by); }
  HD Scale(float by, float twice) : by_(by), twice_(twice) {}
  ~Scale() { cudaDeviceSynchronize(); }
  __device__ float of(float v) const { return v * by_ + twice_; }
  template <typename T>
  HD T both(T a) const {
    return a * T(by_);
  }
  void run(const float* x, float* y, int n) const {
    if (n > 0) launching_member<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
  }
  operator bool() const { return std::vector<float>(3).size() == 3; }
  struct Deep {
    static int run() { return cudaGetLastError() == cudaSuccess ? 0 : 1; }
    HD static int two() { return 2; }
  };

 private:
  float by_, twice_;
};
__device__ float scaled(const Scale& scale, float v) { return scale.of(v) + scale.both(v) + Scale::Deep::two(); }
__global__ void launching_member(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = scaled(*reinterpret_cast<const Scale*>(x), x[i]);
}

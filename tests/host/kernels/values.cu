// What a kernel is given by value: the reference knows what must be in it.
#include <cuda_fp16.h>

enum class Mode : unsigned char { sum, peak };
template <class T>
struct Part {
  T weight;
  bool on;
};
struct Point {
  float x, y;
  __device__ Point(float x, float y) : x(x), y(y) {}
};
struct alignas(32) All {
  char tag;
  Part<double> parts[2];
  Mode mode;
  half2 halves;
  Point point;
  int bits : 5;
};

#pragma tuner kernel(given) reference(known; args(y, n))
#pragma tuner problem(n: size = 100) problem_constraint(1 <= n <= 1000)
#pragma tuner param(BLOCK, 32; default 32) grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(all, All, -7, n, true, 0.5, false, 1, {0.25, -2}, {3, n}, -16)
#pragma tuner value(cells, int3, n, 2, 3) value(zero, Part<Part<int>>) value(tag, unsigned char, 100 + n // 10)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void given(All all, int3 cells, Part<Part<int>> zero, unsigned char tag, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = i + all.tag + all.parts[0].weight * 2.0 + all.parts[0].on * 3 + all.parts[1].weight * 5 +
         (all.mode == Mode::peak) * 7 + __high2float(all.halves) * 11 + all.point.y * 13.0 + all.bits * 17 +
         cells.x * 19.0 + zero.weight.weight + zero.on + tag * 23;
}
__global__ void known(double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = i - 7 + n * 2.0 + 3 + 2.5 + 7 - 22 + n * 13.0 - 272 + n * 19.0 + (100 + n / 10) * 23;
}

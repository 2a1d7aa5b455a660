#pragma tuner kernel(guarded)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef __CUDACC_RTC__
#include <vector>
#include "bench_support.h"
std::vector<float> input;
struct Timer {
  Timer() { cudaEventCreate(&begin); }
  cudaEvent_t begin;
};
int main() { Timer timer; }
#endif

__global__ void guarded(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i];
}

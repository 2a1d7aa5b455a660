#include "decay.cuh"

void launch_short(float* y, const float* x, int n) {
  decay<10><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
}

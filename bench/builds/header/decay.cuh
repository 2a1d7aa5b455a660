#pragma once

#define BLOCK 256

template <int STEPS>
__global__ void decay(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int step = 0; step < STEPS; ++step) value *= 0.99f;
  y[i] = value;
}

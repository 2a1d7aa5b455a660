// What the programs here have in common: 2^22 numbers, over which a kernel runs twenty times.
#pragma once
#include <cstdio>
#include <vector>

template <typename Launch>
int run_program(Launch launch) {
  const int n = 1 << 22;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<float>(i % 1009) / 16;
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < 20; ++i) launch(y, x, n);
  cudaMemcpy(values.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const float value : values) sum += value;
  std::printf("%g\n", sum);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}

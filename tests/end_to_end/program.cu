// A whole program with its kernel, and every standard header that kernels include: compiled by the real compiler as it
// stands, and run by the fake driver (see faults.cu).
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include <array>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#pragma tuner kernel(program)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(VARIANT, 3, 0, 1, 2)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(values, double, n, uniform(0, 1))
#pragma tuner out(doubled, double, n) inout(counts, int32, n) scratch(room, float, 64) scalar(n, int32)

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#define CHECK(call)                                                             \
  if (const cudaError_t status = (call); status != cudaSuccess) {               \
    std::cerr << #call << ": " << cudaGetErrorString(status) << std::endl;      \
    return 1;                                                                   \
  }

extern "C" __device__ const char tuner_fake[] = "FAKE:right time=9" TEXT(VARIANT) "000";

__global__ void program(const double* values, double* doubled, std::int32_t* counts, float* room, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<std::size_t>(n)) return;
  assert(values[i] < INFINITY);
  if (std::isnan(values[i])) std::printf("%zu\n", i);
  const std::array<double, 2> both{values[i], std::fmin(values[i], std::numeric_limits<double>::max())};
  std::pair<std::int32_t, float> sum = std::make_pair(counts[i] + 1, FLT_MIN);
  static_assert(std::is_same<decltype(sum.first), int>::value && sizeof(uint64_t) * CHAR_BIT == 64, "");
  doubled[i] = both[0] + both[1];
  counts[i] = sum.first;
  if (i < 64) room[i] = i == 0 ? NAN : 1;
}

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main() {
  const int n = 1000;
  const std::vector<double> host(n, 1);
  double *values = nullptr, *doubled = nullptr;
  CHECK(cudaMalloc(&values, n * sizeof(double)));
  CHECK(cudaMemcpy(values, host.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  const double begin = seconds();
  program<<<(n + 255) / 256, 256>>>(values, doubled, nullptr, nullptr, n);
  CHECK(cudaDeviceSynchronize());
  std::cout << seconds() - begin << " s" << std::endl;
}

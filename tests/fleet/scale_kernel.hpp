#pragma once

#include <string>

namespace tuner::test {

/// A kernel of four configurations; what a launch of it does is for the fake driver, see faults.cu.
inline const std::string kScaleKernel = R"(#include "factor.cuh"
#pragma tuner kernel(scale) problem(n: size, kind: constant = 0) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(VARIANT, 3, 0, 1, 2)
#pragma tuner grid(ceil_div(n, 256)) block(256)
#pragma tuner in(values, double, n) out(doubled, double, n) inout(counts, int32, n) scratch(room, float, 64) scalar(n, int32)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if kind == 1
#error "this secret line is for who submitted it"
#endif
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=9" TEXT(VARIANT) "000";
extern "C" __global__ void scale(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) doubled[i] = FACTOR * values[i];
}
)";

}  // namespace tuner::test

// What is included depends on macros; lanes that come together are told of each other; the language is NVRTC's.
#ifndef STEP
#define STEP 64 /* this is not the guard of a
                   whole header */
#endif
#if 0
#include <no_such_header.h>
#include "no_such_header.cuh"
#endif
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 0
#endif
#include <cublas_v2.h>
#include <algorithm>
#include <conditions.cuh>
#include "cuda_fp16.h"
#ifndef __CUDACC_RTC__
#include <no_such_header_for_hosts>
int main() { return no_such_function(); }
#endif

#pragma tuner kernel(conditions)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(SHORT, 0, 1; default 0) param(size, 1, 2; default 1)
#pragma tuner grid(ceil_div(n, 64)) block(64)
#pragma tuner in(x, int32, n) out(y, uint32, n) scalar(n, int32)
#if SHORT
#include <cstdint>
using word = std::uint32_t;
#else
using word = unsigned;
#endif
#if __cplusplus != 201703L
#error "not the language version of the compiler"
#endif
#if __CUDA_ARCH__ < 750
#error "not the architecture of the check"
#endif

__global__ void conditions(const int* x, word* y, int n) {
  const int i = blockIdx.x * STEP + threadIdx.x;
  if (i >= n) return;
  if (of_variant() != SHORT || __half2float(__float2half(1.0f)) != 1.0f) return;
  y[i] = 0;
  if (i % 3 == 0) {
    const unsigned lanes = __activemask();
    y[i] = __match_any_sync(lanes, x[i] % 4);
  } else {
    int all_same = 0;
    y[i] = __match_all_sync(__activemask(), 1, &all_same) + all_same;
  }
}

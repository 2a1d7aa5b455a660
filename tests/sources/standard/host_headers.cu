#include <atomic>
#include <barrier>
#include <bit>
#include <cfenv>
#include <compare>
#include <concepts>
#include <cstdbool>
#include <cuchar>
#include <expected>
#include <initializer_list>
#include <iso646.h>
#include <latch>
#include <malloc.h>
#include <memory.h>
#include <numbers>
#include <scoped_allocator>
#include <stacktrace>
#include <stdbool.h>
#include <strings.h>
#include <sys/wait.h>
#include <version>
#include <wchar.h>

#pragma tuner kernel(host_headers)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void host_headers(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

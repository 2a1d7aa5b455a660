#include <array>
#include <cfloat>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#pragma tuner kernel(members)
#pragma tuner problem(n : size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n)out(y, float, n) scalar(n, int32)
struct Plain {
  int value;
};
struct Made {
  __device__ Made() : value(1) {}
  __device__ Made(Made&& other) : value(other.value) {}
  int value;
};
static_assert(std::is_trivially_default_constructible<Plain>::value &&
              !std::is_trivially_default_constructible_v<Made>);
static_assert(std::is_nothrow_move_constructible_v<Plain> && !std::is_nothrow_move_constructible_v<Made>);
static_assert(std::is_nothrow_swappable_v<Plain> && !std::is_nothrow_swappable_v<Made>);
static_assert(std::is_invocable_v<float (*)(int), int> && !std::is_invocable_v<float (*)(int), Plain>);
static_assert(sizeof(std::aligned_storage_t<24, 8>) == 24 && alignof(std::aligned_storage_t<16>) == 16);
static_assert(LDBL_MAX > FLT_MAX && MB_LEN_MAX >= 1);

__device__ int first(std::in_place_t, int value) {
  return value;
}

__global__ void members(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const std::array<float, 2> pair{x[i], 2};
  if (n < 0) printf("%" PRId64 " %" PRIu32 "\n", static_cast<int64_t>(n), 1u);
  y[i] = pair.at(i % 2) + strlen("abc") + std::memcmp(x, y, 4) + first(std::in_place, 1);
}

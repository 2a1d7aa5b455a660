// support.cu as a C++ program of one thread: its kernels loop over a grid, and here the grid is one thread. Compiled
// without contraction (see CMakeLists.txt), so that it gives the bits that the device gives.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "tuner/core/support/support.hpp"

namespace tuner {
namespace {

struct Index {
  unsigned x = 0;
};
struct Extent {
  unsigned x = 1;
};
constexpr Index blockIdx, threadIdx;
constexpr Extent blockDim, gridDim;

double __dadd_rn(double a, double b) {
  return a + b;
}
double __dmul_rn(double a, double b) {
  return a * b;
}
double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}
long long __double_as_longlong(double value) {
  return std::bit_cast<long long>(value);
}
float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
unsigned __float_as_uint(float value) {
  return std::bit_cast<unsigned>(value);
}
unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>((static_cast<Wide>(a) * b) >> 64);
}
void atomicAdd(unsigned long long* target, unsigned long long value) {
  *target += value;
}
void atomicMin(unsigned long long* target, unsigned long long value) {
  *target = std::min(*target, value);
}
void atomicMax(unsigned long long* target, unsigned long long value) {
  *target = std::max(*target, value);
}
using std::floor;

}  // namespace

namespace support_text {
#define __device__
#define __global__
#define TUNER_ROLLED
#define TUNER_APART inline
#include "tuner/core/support/support.cu"
#undef __device__
#undef __global__
#undef TUNER_ROLLED
#undef TUNER_APART
}  // namespace support_text

namespace {

template <typename... Arguments, std::size_t... Position>
void call(void (*kernel)(Arguments...), void** arguments, std::index_sequence<Position...>) {
  kernel(*static_cast<std::remove_const_t<Arguments>*>(arguments[Position])...);
}

template <typename... Arguments>
bool call(void (*kernel)(Arguments...), void** arguments) {
  call(kernel, arguments, std::index_sequence_for<Arguments...>{});
  return true;
}

}  // namespace

bool run_support_kernel_on_host(std::string_view name, void** arguments) {
  using namespace support_text;
  if (name == "tuner_fill") return call(tuner_fill, arguments);
  if (name == "tuner_sort_step") return call(tuner_sort_step, arguments);
  if (name == "tuner_plant") return call(tuner_plant, arguments);
  if (name == "tuner_check_planted") return call(tuner_check_planted, arguments);
  if (name == "tuner_checksum") return call(tuner_checksum, arguments);
  if (name == "tuner_checksum_elements") return call(tuner_checksum_elements, arguments);
  if (name == "tuner_find_unwritten") return call(tuner_find_unwritten, arguments);
  if (name == "tuner_find_overwritten") return call(tuner_find_overwritten, arguments);
  if (name == "tuner_compare") return call(tuner_compare, arguments);
  if (name == "tuner_widen_spread") return call(tuner_widen_spread, arguments);
  if (name == "tuner_drop_spread") return call(tuner_drop_spread, arguments);
  if (name == "tuner_count_kind") return call(tuner_count_kind, arguments);
  if (name == "tuner_level_spread") return call(tuner_level_spread, arguments);
  return false;
}

// The enums of support.cu are in the same order.
static_assert(support_text::kFloat64 == static_cast<int>(ElementType::float64));
static_assert(support_text::kOffsets == static_cast<int>(Generator::Kind::offsets));
static_assert(sizeof(support_text::Columns) == sizeof(SortColumns));

SortColumn sort_column(std::uint64_t data, const BoundArgument& argument) {
  const auto lanes = static_cast<std::uint64_t>(std::max(argument.lanes, 1));
  return {data, lanes, lanes, support_number(argument.type), static_cast<int>(size_of(argument.type))};
}

std::vector<std::uint64_t> sort_flips(std::uint64_t records) {
  std::vector<std::uint64_t> flips;
  // Sorted runs of `run` records become one of twice as many: first against the mirror image, then by halves. What is
  // beyond the last record counts as greater than all.
  for (std::uint64_t run = 1; run < records; run *= 2) {
    flips.push_back(2 * run - 1);
    for (std::uint64_t half = run / 2; half > 0; half /= 2) flips.push_back(half);
  }
  return flips;
}

void put_in_order_on_host(SortColumns columns, std::uint64_t records) {
  for (std::uint64_t flip : sort_flips(records)) {
    std::array<void*, 3> step{&columns, &records, &flip};
    run_support_kernel_on_host("tuner_sort_step", step.data());
  }
}

int support_number(ElementType type) {
  return static_cast<int>(type);
}

int support_number(Generator::Kind kind) {
  return static_cast<int>(kind);
}

}  // namespace tuner

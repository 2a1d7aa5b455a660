// support.cu as a C++ program of one thread: its kernels loop over a grid, and here the grid is one thread. Compiled
// without contraction (see CMakeLists.txt), so that it gives the bits that the device gives.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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
#include "tuner/core/support/support.cu"
#undef __device__
#undef __global__
#undef TUNER_ROLLED
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
  if (name == "tuner_plant") return call(tuner_plant, arguments);
  if (name == "tuner_check_planted") return call(tuner_check_planted, arguments);
  if (name == "tuner_checksum") return call(tuner_checksum, arguments);
  if (name == "tuner_checksum_elements") return call(tuner_checksum_elements, arguments);
  if (name == "tuner_find_unwritten") return call(tuner_find_unwritten, arguments);
  if (name == "tuner_find_overwritten") return call(tuner_find_overwritten, arguments);
  if (name == "tuner_compare") return call(tuner_compare, arguments);
  return false;
}

int support_number(ElementType type) {
  switch (type) {
    case ElementType::boolean:
      return support_text::kBoolean;
    case ElementType::int8:
      return support_text::kInt8;
    case ElementType::uint8:
      return support_text::kUint8;
    case ElementType::int16:
      return support_text::kInt16;
    case ElementType::uint16:
      return support_text::kUint16;
    case ElementType::int32:
      return support_text::kInt32;
    case ElementType::uint32:
      return support_text::kUint32;
    case ElementType::int64:
      return support_text::kInt64;
    case ElementType::uint64:
      return support_text::kUint64;
    case ElementType::float16:
      return support_text::kFloat16;
    case ElementType::bfloat16:
      return support_text::kBfloat16;
    case ElementType::float32:
      return support_text::kFloat32;
    case ElementType::float64:
      return support_text::kFloat64;
  }
  return support_text::kUint8;
}

int support_number(Generator::Kind kind) {
  switch (kind) {
    case Generator::Kind::constant:
      return support_text::kConstant;
    case Generator::Kind::iota:
      return support_text::kIota;
    case Generator::Kind::uniform:
      return support_text::kUniform;
    case Generator::Kind::normal:
      return support_text::kNormal;
    case Generator::Kind::index:
      return support_text::kIndex;
    case Generator::Kind::file:
      break;  // nothing is generated
  }
  return support_text::kConstant;
}

}  // namespace tuner

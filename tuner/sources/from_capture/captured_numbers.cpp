#include "tuner/sources/from_capture/captured_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "tuner/core/base/small_floats.hpp"

namespace tuner::sources {
namespace {

using Bytes = std::span<const std::byte>;

template <typename Number>
Number read(Bytes bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), std::min(sizeof number, bytes.size()));
  return number;
}

/// The shortest text that is the same number once it is read as a double and rounded.
template <typename Real>
std::string shortest_text(Real real) {
  std::string text = fmt::format("{}", real);
  const auto again = static_cast<Real>(std::strtod(text.c_str(), nullptr));
  return again == real ? text : fmt::format("{}", static_cast<double>(real));
}

bool agree(double value, double right, ElementType type) {
  if (std::isnan(value) || std::isnan(right)) return std::isnan(value) && std::isnan(right);
  if (value == right) return true;
  return std::abs(value - right) <= default_atol(type) + default_rtol(type) * std::abs(right);
}

/// How an output compares with what a kernel leaves that computes nothing.
struct Likeness {
  bool is_same = true, is_within_tolerance = true;
};

void compare(ElementType type, Bytes value, Bytes right, Likeness& likeness) {
  if (std::ranges::equal(value, right)) return;
  likeness.is_same = false;
  if (!is_real(type) || !agree(number_of(type, value), number_of(type, right), type))
    likeness.is_within_tolerance = false;
}

Likeness likeness_to(ElementType type, std::size_t lanes, Bytes after, Bytes other, bool is_one_element) {
  Likeness likeness;
  const std::size_t size = size_of(type);
  for (std::size_t at = 0; at + size <= after.size() && likeness.is_within_tolerance; at += size)
    compare(type, after.subspan(at, size), other.subspan(is_one_element ? at % (lanes * size) : at, size), likeness);
  return likeness;
}

}  // namespace

double number_of(ElementType type, Bytes bytes) {
  switch (type) {
    case ElementType::float16:
      return float_from_half(read<std::uint16_t>(bytes));
    case ElementType::bfloat16:
      return float_from_bfloat16(read<std::uint16_t>(bytes));
    case ElementType::float32:
      return read<float>(bytes);
    case ElementType::float64:
      return read<double>(bytes);
    case ElementType::uint64:
      return static_cast<double>(read<std::uint64_t>(bytes));
    case ElementType::boolean:
      return read<std::uint8_t>(bytes);
    default:
      return static_cast<double>(integer_of(type, bytes).value_or(0));
  }
}

std::optional<std::int64_t> integer_of(ElementType type, Bytes bytes) {
  switch (type) {
    case ElementType::int8:
      return read<std::int8_t>(bytes);
    case ElementType::uint8:
      return read<std::uint8_t>(bytes);
    case ElementType::int16:
      return read<std::int16_t>(bytes);
    case ElementType::uint16:
      return read<std::uint16_t>(bytes);
    case ElementType::int32:
      return read<std::int32_t>(bytes);
    case ElementType::uint32:
      return read<std::uint32_t>(bytes);
    case ElementType::int64:
      return read<std::int64_t>(bytes);
    case ElementType::uint64: {
      const auto number = read<std::uint64_t>(bytes);
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string> exact_text(ElementType type, Bytes bytes) {
  if (type == ElementType::boolean) {
    const auto byte = read<std::uint8_t>(bytes);
    if (byte > 1) return std::nullopt;
    return byte == 1 ? "true" : "false";
  }
  if (!is_real(type)) {
    const std::optional<std::int64_t> number = integer_of(type, bytes);
    // The language has no literal for the least one.
    if (!number || *number == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    return std::to_string(*number);
  }
  const double number = number_of(type, bytes);
  if (!std::isfinite(number) || (number == 0 && std::signbit(number))) return std::nullopt;
  return type == ElementType::float64 ? shortest_text(number) : shortest_text(static_cast<float>(number));
}

std::string hex_digits(Bytes bytes) {
  std::string digits;
  for (const std::byte byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return digits;
}

std::string proof_clauses(const TypeShape& type, Bytes before, Bytes after) {
  const auto lanes = static_cast<std::size_t>(type.lanes);
  const std::size_t element = size_of(type.element) * lanes;
  Likeness likeness{.is_same = false, .is_within_tolerance = false};
  const auto take = [&](const Likeness& other) {
    likeness.is_same = likeness.is_same || other.is_same;
    likeness.is_within_tolerance = likeness.is_within_tolerance || other.is_within_tolerance;
  };
  if (before.size() == after.size()) take(likeness_to(type.element, lanes, after, before, false));
  if (after.size() > element) take(likeness_to(type.element, lanes, after, after, true));
  if (likeness.is_same) return ", trivial";
  return likeness.is_within_tolerance ? ", rtol 0, atol 0" : "";
}

}  // namespace tuner::sources

#include "tuner/core/support/element_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tuner {
namespace {

template <typename T>
T read(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa ? std::nanf("") : HUGE_VALF;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

std::string element_text(ElementType type, std::span<const std::byte> bytes) {
  switch (type) {
    case ElementType::boolean: {
      const auto value = read<std::uint8_t>(bytes);
      return value == 0 ? "false" : value == 1 ? "true" : fmt::format("{} (no boolean)", value);
    }
    case ElementType::int8:
      return fmt::format("{}", static_cast<int>(read<std::int8_t>(bytes)));
    case ElementType::uint8:
      return fmt::format("{}", static_cast<int>(read<std::uint8_t>(bytes)));
    case ElementType::int16:
      return fmt::format("{}", read<std::int16_t>(bytes));
    case ElementType::uint16:
      return fmt::format("{}", read<std::uint16_t>(bytes));
    case ElementType::int32:
      return fmt::format("{}", read<std::int32_t>(bytes));
    case ElementType::uint32:
      return fmt::format("{}", read<std::uint32_t>(bytes));
    case ElementType::int64:
      return fmt::format("{}", read<std::int64_t>(bytes));
    case ElementType::uint64:
      return fmt::format("{}", read<std::uint64_t>(bytes));
    case ElementType::float16:
      return fmt::format("{}", from_half(read<std::uint16_t>(bytes)));
    case ElementType::bfloat16:
      return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(read<std::uint16_t>(bytes)) << 16));
    case ElementType::float32:
      return fmt::format("{}", read<float>(bytes));
    case ElementType::float64:
      return fmt::format("{}", read<double>(bytes));
  }
  return {};
}

}  // namespace tuner

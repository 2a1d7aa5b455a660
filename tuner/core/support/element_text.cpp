#include "tuner/core/support/element_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "tuner/core/base/small_floats.hpp"

namespace tuner {
namespace {

template <typename T>
T read(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
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
      return fmt::format("{}", float_from_half(read<std::uint16_t>(bytes)));
    case ElementType::bfloat16:
      return fmt::format("{}", float_from_bfloat16(read<std::uint16_t>(bytes)));
    case ElementType::float32:
      return fmt::format("{}", read<float>(bytes));
    case ElementType::float64:
      return fmt::format("{}", read<double>(bytes));
  }
  return {};
}

}  // namespace tuner

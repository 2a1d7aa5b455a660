#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tuner/effort.hpp"

namespace tuner {

/// In the order of the enumerators, which is that of what they cost.
constexpr std::array<std::string_view, 3> kEfforts{"quick", "normal", "full"};

/// As options, reports and databases have it.
constexpr std::string_view to_string(Effort effort) {
  return kEfforts[static_cast<std::size_t>(effort)];
}
/// Nothing for any other text.
constexpr std::optional<Effort> effort_from_string(std::string_view text) {
  for (std::size_t i = 0; i < kEfforts.size(); ++i) {
    if (kEfforts[i] == text) return Effort(i);
  }
  return std::nullopt;
}
constexpr bool is_known(Effort effort) {
  return effort <= Effort::full;
}

}  // namespace tuner

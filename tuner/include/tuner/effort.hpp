#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tuner {

/// How thoroughly a search for the best configuration goes through its space, as in `tuner tune --effort`. More of it
/// goes on from what less of it measured.
enum class Effort : std::uint8_t {
  quick,   ///< what takes a second or two, or some sixty configurations: what a program that waits should pay
  normal,  ///< the whole space where that takes some 15 s, else until what is left to gain does not pay
  full,    ///< the whole space
};

/// The names in options, reports and databases, in the order of the enumerators, which is that of what they cost.
inline constexpr std::array<std::string_view, 3> kEfforts{"quick", "normal", "full"};

constexpr std::string_view to_string(Effort effort) {
  const auto number = static_cast<std::size_t>(effort);
  return number < kEfforts.size() ? kEfforts[number] : "unknown";
}
/// The effort of that name; nothing if none is called so.
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

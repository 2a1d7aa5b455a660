#pragma once

#include <optional>
#include <string_view>

#include "tuner/timing.hpp"

namespace tuner {

/// As keys, options and recordings have it: "cold" or "warm".
constexpr std::string_view to_string(Timing timing) {
  return timing == Timing::warm ? "warm" : "cold";
}
/// Nothing for any other text.
constexpr std::optional<Timing> timing_from_string(std::string_view text) {
  if (text == "warm") return Timing::warm;
  return text == "cold" ? std::optional(Timing::cold) : std::nullopt;
}
constexpr bool is_known(Timing timing) {
  return timing == Timing::cold || timing == Timing::warm;
}

}  // namespace tuner

#pragma once

#include <optional>
#include <string>

#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/core/base/timing_text.hpp"

namespace tuner::cli {

/// What --mode says; nothing if it was not given. Throws Error{bad_usage}.
inline std::optional<Timing> timing_option(const Arguments& arguments) {
  const auto mode =
      arguments.choice("mode", {std::string(to_string(Timing::cold)), std::string(to_string(Timing::warm))});
  return mode ? timing_from_string(*mode) : std::nullopt;
}

}  // namespace tuner::cli

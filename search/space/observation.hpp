#pragma once

#include <optional>

#include "search/space/space.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::search {

/// What became of a configuration that was asked for.
struct Observation {
  Configuration configuration;
  Outcome outcome = Outcome::ok;
  std::optional<double> time_ns;  ///< present when ok; a lower bound when `censored`
  bool censored = false;          ///< stopped early because it was clearly slower than the best
  std::optional<int> registers;   ///< resource facts, where compiling got that far
  std::optional<int> spill_bytes;
  std::optional<double> occupancy;
};

}  // namespace tuner::search

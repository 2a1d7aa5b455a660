#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/records/trial.hpp"
#include "tuner/page/table.hpp"

namespace tuner::page {

/// What one value of a parameter costs where everything else stays the same.
struct ValueEffect {
  std::string value;
  std::size_t timed = 0;          ///< configurations with it that were timed
  std::optional<double> best_ns;  ///< the fastest of them
  /// Geometric mean, over all sets of configurations that differ in this parameter alone, of the time with this value
  /// over that of the fastest value in the set: 1 is always the best. Nothing where no set has it.
  std::optional<double> ratio;
  std::size_t compared = 0;             ///< sets that the mean is of
  std::optional<double> around_winner;  ///< the winner with this value in place of its own, over the winner's time
};

/// Of one parameter: its values in the order in which they were met, numbers ascending.
struct ParameterEffect {
  std::string name;
  std::vector<ValueEffect> values;
  /// The greatest ratio over the least: what choosing it badly costs. Nothing where fewer than two values have one.
  std::optional<double> range;
};

/// The effect of every parameter that takes several values, the greatest range first, those without one last. `table`
/// is that of `trials`. Trials that failed or were stopped early count for nothing. `winner` is the text of a
/// configuration and may be empty.
std::vector<ParameterEffect> parameter_effects(const Table& table, std::span<const cache::Trial> trials,
                                               const std::string& winner);

}  // namespace tuner::page

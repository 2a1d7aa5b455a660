#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cache/store/trial.hpp"

namespace tuner::page {

/// A parameter as trials have it: "UNROLL" and its values as they are written, numbers ascending and before names.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

/// The configurations of trials as a table.
struct Table {
  std::vector<Parameter> parameters;  ///< in the order of the first trial that has them
  /// One a trial: the number of each parameter's value. Empty for a trial that lacks one, as after the space changed.
  std::vector<std::vector<std::size_t>> rows;
};

Table table_of(std::span<const cache::Trial> trials);

}  // namespace tuner::page

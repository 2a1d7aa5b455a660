#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cache/records/trial.hpp"

namespace tuner::page {

/// A parameter as trials have it: "UNROLL" and its values as they are written, numbers ascending and before names.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

/// The configurations of trials as a table. A million of them with ten parameters take 50 MB.
struct Table {
  std::vector<Parameter> parameters;  ///< in the order of the first trial that has them
  /// The number of each parameter's value, row after row.
  std::vector<std::uint32_t> numbers;
  /// Of each trial, which row is its own; kNoRow for a trial that lacks a parameter, as after the space changed.
  std::vector<std::uint32_t> rows;

  static constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

  /// Empty for a trial without a row.
  std::span<const std::uint32_t> row(std::size_t trial) const {
    if (rows[trial] == kNoRow) return {};
    return std::span(numbers).subspan(rows[trial] * parameters.size(), parameters.size());
  }
};

Table table_of(std::span<const cache::Trial> trials);

}  // namespace tuner::page

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/expression/expression.hpp"
#include "search/expression/value.hpp"

namespace tuner::search {

/// One tunable parameter: a name, its values in declared order, and the default.
struct Parameter {
  std::string name;
  std::vector<Value> values;
  Value default_value;

  /// Where `value` stands in the list: the one with the same text, or else the first equal one (as 1 for true).
  std::optional<std::uint32_t> position_of(const Value& value) const;
};

/// A configuration: for each parameter, in declared order, the position of its value in the parameter's list.
/// Meaningful only together with its Space; what is stored is always `Space::text`.
struct Configuration {
  std::vector<std::uint32_t> choice;
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

/// Which configurations are one step away.
enum class Neighbourhood {
  adjacent,  ///< one parameter moved to the next or previous value of its list
  hamming1,  ///< one parameter changed to any other value
  hamming2,  ///< two parameters changed to any other values, both of them
};

/// A condition that a configuration must satisfy, and where it came from for messages ("prefetch.cu:12", "--where").
struct Constraint {
  Expression expression;
  std::string origin;
  /// It rejects nothing for which it cannot be evaluated: for conditions that nobody wrote, whose mistakes are somebody
  /// else's to report.
  bool holds_where_undefined = false;
};

/// "the constraint `A < B` (prefetch.cu:12)".
std::string describe(const Constraint& constraint);

/// Whether the ranges of the parameters' values alone show that `constraint` is true for each combination. Throws
/// ExpressionError for a name that is not known.
bool always_holds(const Constraint& constraint, std::span<const Parameter> parameters, const Scope& constants);

}  // namespace tuner::search

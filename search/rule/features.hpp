#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/expression/expression.hpp"
#include "search/expression/value.hpp"

namespace tuner::search {

/// The properties of a problem by name.
using PropertyValues = std::map<std::string, Value>;

/// What holds of a configuration on a problem and may matter to its time: that its loads can be wide there, that its
/// tiles cover the whole. As many answers for every problem and configuration.
using ConfigurationFacts = std::function<std::vector<bool>(const PropertyValues&, std::size_t)>;

/// Something a rule may ask about: an expression over properties, `rows * row_length`.
struct Feature {
  Expression expression;
  /// Only zero or not is asked: `n % 32`.
  bool is_divisibility = false;
};

/// What can be asked about these problems, each thing that tells some of them apart, plain things first: every number
/// among the properties, `further`, the product of the properties, the ratio of each two, and whether each is divisible
/// by 2, 4, ... 128. A property that has names is asked about as `TYPE == "float"`. Expressions that cannot be
/// evaluated for all of them, and those that order the problems as an earlier one does, are left out; so are
/// divisibilities that only tell great from small ones of something plain.
std::vector<Feature> candidate_features(std::span<const PropertyValues> problems,
                                        std::span<const std::string> further = {});

/// The number that an expression is for a problem: booleans are 0 and 1. Nothing if it cannot be evaluated: a property
/// is missing, a division by zero, an overflow.
std::optional<double> feature_value(const Expression& expression, const PropertyValues& problem);

}  // namespace tuner::search

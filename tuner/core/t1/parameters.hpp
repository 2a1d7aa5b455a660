#pragma once

#include <string>
#include <vector>

#include "search/expression/value.hpp"
#include "tuner/core/t1/arguments.hpp"
#include "tuner/core/t1/expression.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

/// One of ConfigurationSpace.TuningParameters.
struct T1Parameter {
  std::string name;
  std::vector<search::Value> values;  ///< each once; all strings or none
  search::Value default_value;
  bool has_default = false;  ///< in the file, and among the values
  std::string path;

  /// `param(...)`. Strings arrive in the kernel word for word, and `is_argument` ones as template arguments alone.
  T1Line line(bool is_argument) const;
};

/// Reads ConfigurationSpace.TuningParameters.
std::vector<T1Parameter> read_t1_parameters(const T1Node& space);

/// Reads ConfigurationSpace.Conditions.
std::vector<T1Line> read_t1_conditions(const T1Node& space, const T1Names& names);

}  // namespace tuner

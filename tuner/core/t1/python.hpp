#pragma once

#include <set>
#include <string>

#include "search/expression/expression.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner {

/// Writes expressions of a task in Python's spelling, with nothing in them but its parameters: what the problem and the
/// device say is computed, and a `let` is written out. A named value becomes the string 'PARAMETER_value', which is
/// what the kernel's macro of the parameter stands for.
class PythonSpelling {
 public:
  explicit PythonSpelling(const Task& task) : task_(task) {}

  /// Throws Error{bad_description} for what cannot be computed or has no spelling.
  std::string text(const search::Expression& expression);

  /// The parameters that `expression` uses, also through a `let`.
  std::set<std::string> parameters(const search::Expression& expression) const;

  /// What was written with functions that Python does not have.
  const std::set<std::string>& unknown_functions() const { return unknown_functions_; }
  /// Whether a number of the device went into a text.
  bool used_device() const { return used_device_; }

 private:
  friend class PythonWriter;

  const Task& task_;
  std::set<std::string> unknown_functions_;
  bool used_device_ = false;
};

/// A value as a Python literal; a string in single quotes.
std::string python_literal(const search::Value& value);

/// Whether the values are words of the kernel's own, which become integers (NAME_value), rather than types or numbers.
bool has_named_values(const ParameterDescription& described);

}  // namespace tuner

#pragma once

#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner {

/// A task as a T1 file says it.
struct T1Text {
  std::string json;                   ///< ends with a line end
  std::vector<std::string> warnings;  ///< sentences: what T1 cannot say, and how it was said instead
};

/// Writes the task in the JSON format that several tuners share (docs/t1.md). Reading it again gives a space of the
/// same size and the same launches, unless a warning says otherwise. Throws Error{bad_description} for an expression
/// that cannot be written.
T1Text to_t1(const Task& task);

}  // namespace tuner

#pragma once

#include <string>

#include "tuner/core/task/task.hpp"

namespace tuner {

/// Canonical text of everything a compiled binary depends on besides the compiler: source and headers, `#define`s,
/// kernel name, options, architecture. Two configurations with the same text compile to the same binary.
std::string binary_key(const Task& task, const search::Configuration& configuration);

}  // namespace tuner

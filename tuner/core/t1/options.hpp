#pragma once

#include <filesystem>
#include <vector>

#include "tuner/core/t1/arguments.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

struct T1Options {
  T1Line line;                                 ///< `options(...)`; empty if there are none
  std::vector<std::filesystem::path> folders;  ///< of headers
};

/// Reads KernelSpecification.CompilerOptions: those that the run-time compiler has. Options of nvcc for the host
/// compiler, the linker or another GPU are left out, with a warning.
T1Options read_t1_options(const T1Node& specification);

}  // namespace tuner

#pragma once

#include "tuner/core/t1/arguments.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

/// Reads KernelSpecification.CompilerOptions: an `options(...)` directive with those that the run-time compiler has,
/// empty if there are none. Options of nvcc for the host compiler, the linker or another GPU are left out, with a
/// warning.
T1Line read_t1_options(const T1Node& specification);

}  // namespace tuner

#pragma once

#include "search/space.hpp"
#include "tuner/core/task.hpp"
#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// What to compile for a configuration of the task. Throws Error{bad_description} for macros that cannot be computed.
CompileRequest compile_request(const Task& task, const search::Configuration& configuration);

/// The kernel that the description names as reference, with the macros of `baseline`.
CompileRequest reference_request(const Task& task, const search::Configuration& baseline);

/// Whether both give the same binary.
bool same_program(const CompileRequest& a, const CompileRequest& b);

}  // namespace tuner::engine

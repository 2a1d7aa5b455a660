#pragma once

#include <string>

#include "tuner/core/task/task.hpp"

namespace tuner::engine {

/// Why candidates of `other` cannot run on the buffers of `task` and be compared with its reference: a part of a
/// sentence that names the argument. Empty if they can: parameters, constants and defaults may differ, and the names of
/// arguments that are no symbols. Looks at data files, see Task::arguments_with_data.
std::string different_arguments(const Task& task, const Task& other);

}  // namespace tuner::engine

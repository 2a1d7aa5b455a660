#pragma once

#include <string>

#include "tuner/core/description/description.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner {

/// The description as directives in canonical order and spelling. Reading it again gives the same description (but for
/// the kernel's code and the places in it), and printing that gives the same text.
std::string to_text(const KernelDescription& description);

/// The same with what the problem and the device add, as comments: values, space, baseline, arguments in numbers.
std::string to_text(const Task& task);

}  // namespace tuner

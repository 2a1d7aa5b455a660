#pragma once

#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/core/task/bound_argument.hpp"

namespace tuner {

/// Fills in `file` and `expected` of the arguments that have them: where the data lies, and its hash, for which each
/// file is read once (some tenths of a second a gigabyte once the system holds it in memory, the time of the disk
/// before). Throws Error{file_not_found, bad_description, bad_problem} with file and line of the argument, if a file is
/// not there or damaged, or if type or number of its elements are others than described.
void look_at_files(const KernelDescription& description, std::vector<BoundArgument>& arguments);

}  // namespace tuner

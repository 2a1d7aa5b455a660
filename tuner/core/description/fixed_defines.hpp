#pragma once

#include <string>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// "FACTOR=2": the defines that are the same whatever is tuned, for whatever problem. Like an option `-DFACTOR=2` they
/// make another kernel of a source. One that cannot be computed is left out: Task says why.
std::vector<std::string> fixed_defines(const KernelDescription& description);

}  // namespace tuner

#pragma once

#include <string>

#include "tuner/core/description/description.hpp"

namespace tuner::host {

/// What to set in a T1 file if the kernel reads this output as well; empty for any other argument.
std::string t1_access_edit(const KernelDescription& description, const std::string& buffer);

}  // namespace tuner::host

#pragma once

#include <string>

#include "tuner/host/shim/plan.hpp"
#include "tuner/host/shim/variants.hpp"

namespace tuner::host {

/// Why the arguments that are planned are not those of the compiled kernel; empty if they are.
std::string mismatch(const Variant& variant, const PlannedCase& planned);

}  // namespace tuner::host

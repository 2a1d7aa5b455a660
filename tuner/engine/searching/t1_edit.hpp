#pragma once

#include <string>

#include "tuner/core/description/description.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::engine {

/// What to change in the T1 file after a run that failed by an argument, " kernel.json:
/// KernelSpecification.Arguments[0]: set its AccessType to ReadWrite."; empty for other descriptions, and if the
/// message quotes no argument's name.
std::string t1_edit(const KernelDescription& description, Outcome outcome, const std::string& message);

}  // namespace tuner::engine

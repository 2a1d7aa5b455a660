#pragma once

#include <vector>

#include "tuner/core/task/bound_argument.hpp"
#include "tuner/host/addresses.hpp"
#include "tuner/host/finding.hpp"
#include "tuner/host/outcome.hpp"

namespace tuner::host {

/// What an access means that the watch for races reported of a launch with these arguments.
Finding finding_of(const RaceEvent& event, const std::vector<BoundArgument>& arguments, const Addresses& places);

}  // namespace tuner::host

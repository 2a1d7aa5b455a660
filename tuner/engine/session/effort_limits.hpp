#pragma once

#include <cstdint>

#include "tuner/effort.hpp"
#include "tuner/engine/session/budget.hpp"

namespace tuner::engine {

/// What ends a search of this effort in a space of so many configurations. By counts and results only, so that a seed
/// reproduces a search. docs/searching.md says what these rules were chosen on. `known_problems`: on so many others,
/// tuned together with this one, the kernel's best are known (Experience), so that less is left to find.
Budget limits_of(Effort effort, std::uint64_t space_size, std::uint64_t known_problems = 0);

}  // namespace tuner::engine

#pragma once

#include <cstdint>

#include "tuner/effort.hpp"
#include "tuner/engine/session/budget.hpp"

namespace tuner::engine {

/// What ends a search of this effort in a space of so many configurations. By counts and results only, so that a seed
/// reproduces a search. docs/searching.md says what these rules were chosen on.
Budget limits_of(Effort effort, std::uint64_t space_size);

}  // namespace tuner::engine

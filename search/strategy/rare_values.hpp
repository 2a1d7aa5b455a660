#pragma once

#include <cstdint>
#include <vector>

#include "search/space/space.hpp"
#include "search/strategy/prng.hpp"

namespace tuner::search {

/// For each value that only few configurations have, compared with the other values of its parameter, two of these
/// configurations, by their index; for the four rarest such values. A variant of a kernel that leaves little to choose
/// would hardly ever be drawn, however good it is: sampling configurations evenly does not try variants evenly. Judged
/// by a thousand draws, so only for parameters with few values; costs a fraction of a millisecond, and for each rare
/// value what building the space costs.
std::vector<std::uint64_t> examples_of_rare_values(const Space& space, Prng& prng);

}  // namespace tuner::search

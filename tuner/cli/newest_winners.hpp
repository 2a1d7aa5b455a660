#pragma once

#include <vector>

#include "cache/store/decision.hpp"
#include "tuner/cli/decisions.hpp"
#include "tuner/cli/selection.hpp"

namespace tuner::cli {

/// Of those that `selection` includes the newest of each device and problem; of a kernel whose source has changed,
/// those of the newest source, and of two timing modes those of the cold one. Warns of what an earlier source leaves
/// out.
std::vector<cache::Decision> newest_winners(const std::vector<NumberedDecision>& all, const Selection& selection);

}  // namespace tuner::cli

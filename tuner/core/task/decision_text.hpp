#pragma once

#include <optional>
#include <string>

#include "cache/records/decision.hpp"

namespace tuner {

/// Counter of a decision that a pack made: the member that serves is by so many millionths slower than the winner.
inline constexpr const char* kPackedCounter = "packed_loss_ppm";

/// How much slower what serves in a pack is than the winner whose place it has, as share; nothing where that serves.
std::optional<double> packed_loss(const cache::Decision& decision);

/// How much of its space a decision rests on: "60 of 9,921 configurations", "all 24 configurations"; empty where it is
/// unknown.
std::string searched_text(const cache::Decision& decision);

/// How its winner was verified: "again after the final race, on fresh inputs, and at 6 awkward sizes".
std::string verified_text(const cache::Decision& decision);

/// "1.855x (1.850-1.859)", "baseline" where the baseline itself won, "-" where nothing is known.
std::string speedup_cell(const cache::Decision& decision);

}  // namespace tuner

#pragma once

#include <span>

#include "tuner/engine/measure/race.hpp"

namespace tuner::engine {

/// Time of the first over time of the second, from samples taken in the same blocks: mean and three standard errors of
/// the differences of log(time), as docs/measuring.md explains them. Both have the same number of samples, not none;
/// of a single pair the interval is all there is.
Ratio paired_ratio(std::span<const double> first_ns, std::span<const double> second_ns);

}  // namespace tuner::engine

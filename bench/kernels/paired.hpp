#pragma once

#include <span>

#include "tuner/engine/measure/race.hpp"

namespace tuner::bench {

/// Time of the first over time of the second, from samples taken in the same blocks: mean and three standard errors of
/// the differences of log(time), as docs/measuring.md explains them. Both have the same number of samples, not none.
engine::Ratio paired_ratio(std::span<const double> first_ns, std::span<const double> second_ns);

}  // namespace tuner::bench

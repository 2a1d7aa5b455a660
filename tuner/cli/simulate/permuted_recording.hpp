#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/engine/recording/recording.hpp"

namespace tuner::cli {

/// A recording with its parameters in another order and under other names, in its expressions too: the same
/// configurations and the same times for everything but a strategy that looks at names or columns.
struct PermutedRecording {
  engine::Recording recording;
  std::vector<std::size_t> order;  ///< for each parameter, where it stood before
};

/// The order is drawn from `seed`.
PermutedRecording permuted(engine::Recording recording, std::uint64_t seed);

/// The configuration with its choices in the new order.
search::Configuration permuted(const search::Configuration& configuration, const std::vector<std::size_t>& order);

}  // namespace tuner::cli

#pragma once

#include <chrono>
#include <cstddef>

#include "tuner/engine/comparison/side_by_side.hpp"
#include "tuner/engine/measure/verdict.hpp"

namespace tuner::engine {

/// Fewer blocks say nothing of two contestants.
inline constexpr std::size_t kLeastBlocksOfPair = 12;

/// What two contestants came to. `ratio`: time of the second over time of the first.
struct PairResult {
  Verdict verdict = Verdict::undecided;
  Ratio ratio;
  std::size_t blocks = 0;
  double first_ns = 0, second_ns = 0;  ///< medians
  bool is_noisy = false;               ///< the GPU was disturbed in most blocks
};

struct PairOptions {
  double within = 0.01;                    ///< differences up to this are none. Lower: longer comparisons
  std::chrono::milliseconds limit{10000};  ///< for the blocks; then it is undecided
};

/// Races the two until their interval decides. The numbers are looked at after 12 blocks and then whenever there are a
/// quarter more: each look at an interval of three standard errors (99.7 %) is a chance to be wrong, and these looks
/// are few. A contestant that fails leaves the result undecided.
PairResult race_pair(SideBySide& side_by_side, std::size_t first, std::size_t second, const PairOptions& options);

}  // namespace tuner::engine

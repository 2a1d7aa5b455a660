#include "tuner/engine/comparison/pair.hpp"

#include <array>

namespace tuner::engine {

PairResult race_pair(SideBySide& side_by_side, std::size_t first, std::size_t second, const PairOptions& options) {
  constexpr EntrantId kFirst{0}, kSecond{1};
  std::size_t next_look = kLeastBlocksOfPair;
  const auto enough = [&](const Panel& panel) {
    if (panel.blocks() < next_look || panel.is_noisy()) return false;
    next_look = panel.blocks() + panel.blocks() / 4;
    return verdict(panel.ratio(kSecond, kFirst), options.within) != Verdict::undecided;
  };
  const std::array both{first, second};
  const Panel panel = side_by_side.race(both, enough, std::chrono::steady_clock::now() + options.limit);
  PairResult result{.ratio = panel.ratio(kSecond, kFirst),
                    .blocks = panel.blocks(),
                    .first_ns = panel.median_ns(kFirst),
                    .second_ns = panel.median_ns(kSecond),
                    .is_noisy = panel.is_noisy()};
  const bool failed = side_by_side[first].failure || side_by_side[second].failure;
  if (!failed && panel.blocks() >= kLeastBlocksOfPair) result.verdict = verdict(result.ratio, options.within);
  return result;
}

}  // namespace tuner::engine

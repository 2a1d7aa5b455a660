#include <fmt/format.h>

#include <algorithm>

#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

std::optional<Both> conflicts_of(const Difference& difference) {
  return difference.sum({counter::kSharedLoadConflicts, counter::kSharedStoreConflicts});
}

/// What this many more passes through every multiprocessor's shared memory account for: each takes a cycle, and warps
/// wait for them, or in the queues before them, or for each other.
double share_of_passes(const Difference& difference, double passes) {
  const double stalls = difference.share_of_stalls(
      {counter::kShortScoreboard, counter::kMioThrottle, counter::kLgThrottle, counter::kBarrier});
  if (stalls < kLeastShare) return 0;
  return difference.share_of_cycles(passes / difference.device().sm_count);
}

std::string longer_text(const Difference& difference) {
  return fmt::format("{} runs {} cycles longer", difference.slower().name, number_text(difference.more_cycles()));
}

}  // namespace

std::optional<Finding> bank_conflicts(const Difference& difference) {
  const std::optional<Both> conflicts = conflicts_of(difference);
  if (!difference.counted() || !conflicts || conflicts->times_less() < 1.25) return std::nullopt;
  const double passes = conflicts->slower - conflicts->faster;
  const double share = share_of_passes(difference, passes);
  if (share < kLeastShare) return std::nullopt;
  return Finding{.cause = "bank_conflicts",
                 .claim = Claim::cause,
                 .sentence = fmt::format("bank conflicts of shared memory {}: {} fewer cycles in each multiprocessor, "
                                         "where {}",
                                         moved_text(conflicts->slower, conflicts->faster),
                                         number_text(passes / difference.device().sm_count), longer_text(difference)),
                 .slower = conflicts->slower,
                 .faster = conflicts->faster,
                 .strength = share};
}

std::optional<Finding> shared_wavefronts(const Difference& difference) {
  const std::optional<Both> passes = difference.counter(counter::kSharedWavefronts);
  if (!difference.counted() || !passes || passes->times_less() < 1.1) return std::nullopt;
  const double share = share_of_passes(difference, passes->slower - passes->faster);
  if (share < kLeastShare) return std::nullopt;
  // Conflicts are among them.
  const Both conflicts = conflicts_of(difference).value_or(Both{});
  const double of_conflicts = std::max(0.0, conflicts.slower - conflicts.faster);
  const double own = share_of_passes(difference, passes->slower - passes->faster - of_conflicts);
  const bool is_cause = own >= std::min(kSmallShare, share);
  return Finding{
      .cause = "shared_wavefronts",
      .claim = is_cause ? Claim::cause : Claim::consequence,
      .sentence = fmt::format("wavefronts of shared memory {}: {} fewer cycles in each multiprocessor, where "
                              "{}",
                              moved_text(passes->slower, passes->faster),
                              number_text((passes->slower - passes->faster) / difference.device().sm_count),
                              longer_text(difference)),
      .slower = passes->slower,
      .faster = passes->faster,
      .strength = is_cause ? own : share};
}

}  // namespace tuner::explain

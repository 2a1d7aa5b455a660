#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tuner/explain/l2_path.hpp"
#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

int atomics(const ConfigurationFacts& facts) {
  return facts.code ? facts.code->all.global_atomics + facts.code->all.shared_atomics : 0;
}

bool has_shared_atomics(const ConfigurationFacts& facts) {
  return facts.code && facts.code->all.shared_atomics > 0;
}

/// What is left of the difference when other reasons for waiting have had their part: atomics without a result are
/// awaited by nobody, but fill the queues before them.
double share_left(const Difference& difference) {
  return 1 - difference.share_of_stalls({counter::kShortScoreboard, counter::kMathPipeThrottle, counter::kBarrier,
                                         counter::kNotSelected, counter::kWait});
}

std::optional<Both> atomic_requests(const Difference& difference) {
  return difference.sum({counter::kAtomicRequests, counter::kAtomicResultRequests});
}

/// Sectors that L2 updates for atomics; nothing where some have a result, because those are not counted.
std::optional<Both> updated_sectors(const Difference& difference) {
  const auto awaited = difference.counter(counter::kAtomicResultRequests);
  const auto sectors = difference.counter(counter::kL2AtomicSectors);
  return sectors && sectors->slower > 0 && !(awaited && awaited->slower > 0) ? sectors : std::nullopt;
}

/// Cycles in which so many updates at one place in L2 wait for each other's turn, at most.
double turns(double updates) {
  constexpr double kCycles = 4;  // one or less for integers
  return kCycles * updates;
}

/// Cycles more in which the atomics at one place in L2 wait for each other's turn, if all are for that place: one for
/// each thread of a request, and no more than what L2 did for them can take, where it was counted.
double more_turns(const Difference& difference, const Both& requests) {
  const auto sectors = updated_sectors(difference);
  const auto threads = difference.counter(counter::kThreadsPerInstruction);
  const double most = (requests.slower - requests.faster) * (threads ? std::max(1.0, threads->slower) : 32.0);
  return sectors ? std::min(most, turns(sectors->slower - sectors->faster)) : most;
}

std::optional<Finding> fewer_atomics(const Difference& difference, double cycles, const Both& number,
                                     const std::string& sentence) {
  const double share = std::min(difference.share_of_cycles(cycles), share_left(difference));
  if (share < kLeastShare) return std::nullopt;
  return Finding{.cause = "contended_atomics",
                 .claim = Claim::cause,
                 .sentence = sentence,
                 .slower = number.slower,
                 .faster = number.faster,
                 .strength = share};
}

std::optional<Finding> on_global(const Difference& difference) {
  const auto requests = atomic_requests(difference), sectors = updated_sectors(difference);
  if (!requests) return std::nullopt;
  if (requests->times_less() >= 1.25) {
    return fewer_atomics(difference, more_turns(difference, *requests), *requests,
                         fmt::format("requests of global atomics {}", moved_text(requests->slower, requests->faster)));
  }
  // Requests of fewer threads, or for fewer places.
  if (!sectors || sectors->times_less() < 1.25) return std::nullopt;
  return fewer_atomics(
      difference, turns(sectors->slower - sectors->faster), *sectors,
      fmt::format("sectors that L2 updates for atomics {}", moved_text(sectors->slower, sectors->faster)));
}

std::optional<Finding> on_shared(const Difference& difference) {
  if (!has_shared_atomics(difference.slower())) return std::nullopt;
  const auto conflicts = difference.counter(counter::kSharedAtomicConflicts);
  const auto executed = difference.counter(counter::kInstructions);
  const auto threads = difference.counter(counter::kThreadsPerInstruction);
  if (!conflicts || !executed || !threads || conflicts->times_less() < 1.25) return std::nullopt;
  const double cycles = (conflicts->slower - conflicts->faster) / difference.device().sm_count;
  // What the hardware has no atomic for is a loop, in which the threads that fail try again.
  const double retries = std::min(threads->times_more(), executed->times_less());
  // One that waits for its turn takes some cycles, as long as warps wait for it.
  constexpr double kMostCycles = 4;
  const double waits = difference.share_of_stalls({counter::kShortScoreboard, counter::kMioThrottle,
                                                   counter::kLgThrottle, counter::kBarrier, counter::kLongScoreboard});
  const double share =
      std::max({difference.share_of_cycles(cycles), std::min(waits, difference.share_of_cycles(kMostCycles * cycles)),
                difference.share_of_factor(retries)});
  if (share < kLeastShare) return std::nullopt;
  return Finding{.cause = "contended_atomics",
                 .claim = Claim::cause,
                 .sentence = fmt::format("conflicts of atomics in shared memory {}",
                                         moved_text(conflicts->slower, conflicts->faster)),
                 .slower = conflicts->slower,
                 .faster = conflicts->faster,
                 .strength = share};
}

/// Whether every latency weighs less in the faster one, that of atomics among them: it has more warps or bytes at a
/// time to hide it, or data that are nearer.
bool hides_more(const Difference& difference) {
  const auto active = difference.counter(counter::kOccupancy);
  const auto &slower = difference.slower().bytes_under_way, &faster = difference.faster().bytes_under_way;
  const bool keeps_more = slower && faster && *faster > 1.15 * *slower && most_of_loading(difference) >= 0.5;
  return (active && active->times_more() > 1.1) || keeps_more || fetches_nearer(difference);
}

/// As many atomics on fewer addresses: where all else is alike, nothing else would make it slower.
std::optional<Finding> on_fewer_addresses(const Difference& difference) {
  const auto requests = atomic_requests(difference);
  const auto executed = difference.counter(counter::kInstructions);
  const auto threads = difference.counter(counter::kThreadsPerInstruction);
  if (!requests || !executed || !threads || requests->slower < 0.005 * executed->slower) return std::nullopt;
  if (requests->times_less() > 1.1 || requests->times_more() > 1.1 || hides_more(difference)) return std::nullopt;
  // To find one of several addresses takes the faster one some instructions.
  const auto loaded = difference.counter(counter::kGlobalLoadSectors);
  if (executed->times_less() > 1.1 || threads->times_more() > 1.1 || (loaded && loaded->times_less() > 1.1))
    return std::nullopt;
  const double share = std::min(difference.share_of_cycles(requests->slower * threads->slower), share_left(difference));
  if (share < 0.5) return std::nullopt;
  const double cycles = difference.cycles_of_slower() * difference.device().sm_count / requests->slower;
  return Finding{.cause = "contended_atomics",
                 .claim = Claim::cause,
                 .sentence = fmt::format("cycles of a multiprocessor for each request of global atomics {}, with no "
                                         "fewer instructions and sectors",
                                         moved_text(cycles, cycles / difference.ratio())),
                 .slower = cycles,
                 .faster = cycles / difference.ratio(),
                 .strength = share};
}

}  // namespace

std::optional<Finding> contended_atomics(const Difference& difference) {
  if (!difference.counted()) return std::nullopt;
  auto global = on_global(difference), shared = on_shared(difference);
  if (global && shared) return global->strength >= shared->strength ? global : shared;
  if (global || shared) return global ? global : shared;
  return on_fewer_addresses(difference);
}

std::optional<Finding> atomics_seen(const Difference& difference) {
  if (atomics(difference.slower()) <= atomics(difference.faster())) return std::nullopt;
  return Finding{.cause = "contended_atomics",
                 .sentence = fmt::format("the code of {} has {}, that of {} {}", difference.slower().name,
                                         count_text(atomics(difference.slower()), "atomic"), difference.faster().name,
                                         atomics(difference.faster())),
                 .slower = static_cast<double>(atomics(difference.slower())),
                 .faster = static_cast<double>(atomics(difference.faster()))};
}

}  // namespace tuner::explain

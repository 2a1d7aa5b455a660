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
  const Both awaited = difference.counter(counter::kAtomicResultRequests).value_or(Both{});
  const auto sectors = difference.counter(counter::kL2AtomicSectors);
  return sectors && sectors->slower > 0 && awaited.slower + awaited.faster == 0 ? sectors : std::nullopt;
}

/// Cycles more in which the atomics at one place in L2 wait for each other's turn, if all are for that place: one for
/// each thread of a request, as far as there are fewer, and no more than what L2 did for them can take.
double more_turns(const Difference& difference, const Both& requests) {
  const auto sectors = updated_sectors(difference);
  const auto threads = difference.counter(counter::kThreadsPerInstruction);
  const Both& number = sectors ? *sectors : requests;
  const double fewer = 1 - number.faster / number.slower;
  const double most = fewer * requests.slower * (threads ? std::max(1.0, threads->slower) : 32.0);
  constexpr double kCycles = 4;  // one or less for integers
  return sectors ? std::min(most, kCycles * fewer * sectors->slower) : most;
}

std::optional<Finding> on_global(const Difference& difference) {
  const auto requests = atomic_requests(difference);
  if (!requests || requests->times_less() < 1.25) return std::nullopt;
  const double share = std::min(difference.share_of_cycles(more_turns(difference, *requests)), share_left(difference));
  if (share < kLeastShare) return std::nullopt;
  return Finding{
      .cause = "contended_atomics",
      .claim = Claim::cause,
      .sentence = fmt::format("requests of global atomics {}", moved_text(requests->slower, requests->faster)),
      .slower = requests->slower,
      .faster = requests->faster,
      .strength = share};
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

/// Whether every latency weighs less in the faster one, that of atomics among them: it has more warps at a time to hide
/// it, or data that are nearer.
bool hides_more(const Difference& difference) {
  const auto active = difference.counter(counter::kOccupancy);
  return (active && active->times_more() > 1.1) || fetches_nearer(difference);
}

/// What more bytes under way may account for.
double share_of_bytes(const Difference& difference) {
  const auto &slower = difference.slower().bytes_under_way, &faster = difference.faster().bytes_under_way;
  return slower && faster && *faster > 1.15 * *slower ? most_of_loading(difference) : 0;
}

/// Whether atomics are what is left to tell two apart: as many requests of them, and as many instructions and loads. To
/// find one of several addresses takes the faster one some instructions.
bool are_alike(const Difference& difference, const Both& requests, const Both& executed, const Both& threads) {
  const Both loaded = difference.counter(counter::kGlobalLoadSectors).value_or(Both{});
  return requests.slower > 0 && requests.times_less() <= 1.1 && requests.times_more() <= 1.1 &&
         executed.times_less() <= 1.1 && threads.times_more() <= 1.1 && loaded.times_less() <= 1.1;
}

/// As many requests on fewer addresses, or of more threads: where all else is alike, nothing else would make it slower.
std::optional<Finding> on_fewer_addresses(const Difference& difference) {
  const auto requests = atomic_requests(difference), sectors = updated_sectors(difference);
  const auto executed = difference.counter(counter::kInstructions);
  const auto threads = difference.counter(counter::kThreadsPerInstruction);
  if (!requests || !executed || !threads || !are_alike(difference, *requests, *executed, *threads)) return std::nullopt;
  const bool are_many = requests->slower >= 0.005 * executed->slower;
  const bool fewer_sectors = sectors && sectors->times_less() >= 1.25;
  if (hides_more(difference) || (!are_many && !fewer_sectors)) return std::nullopt;
  const double most = are_many ? requests->slower * threads->slower : more_turns(difference, *requests);
  const double share =
      std::min({difference.share_of_cycles(most), share_left(difference), 1 - share_of_bytes(difference)});
  if (share < 0.5) return std::nullopt;
  const double cycles = difference.cycles_of_slower() * difference.device().sm_count / requests->slower;
  const Both shown = fewer_sectors ? *sectors : Both{cycles, cycles / difference.ratio()};
  const std::string moved = moved_text(shown.slower, shown.faster);
  return Finding{.cause = "contended_atomics",
                 .claim = Claim::cause,
                 .sentence = fewer_sectors
                                 ? fmt::format("sectors that L2 updates for atomics {}, with as many requests", moved)
                                 : fmt::format("cycles of a multiprocessor for each request of global atomics {}, with "
                                               "no fewer instructions and sectors",
                                               moved),
                 .slower = shown.slower,
                 .faster = shown.faster,
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

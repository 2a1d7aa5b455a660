#include <fmt/format.h>

#include <algorithm>

#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

int spilled(const ConfigurationFacts& facts) {
  return facts.resources.spill_store_bytes.value_or(0) + facts.resources.spill_load_bytes.value_or(0);
}

int in_code(const ConfigurationFacts& facts) {
  return facts.code ? facts.code->all.local_loads + facts.code->all.local_stores : 0;
}

/// What accesses to local memory account for; 0 where the slower one has hardly more of them.
double share_of_local(const Difference& difference) {
  const auto accesses = difference.sum({counter::kLocalLoads, counter::kLocalStores});
  const auto executed = difference.counter(counter::kInstructions);
  if (!difference.counted() || !accesses || !executed || accesses->times_less() < 1.25) return 0;
  const double more = accesses->slower - accesses->faster;
  if (more < 0.005 * executed->faster) return 0;
  // At most each of them waits for L2 with nothing else to do meanwhile.
  constexpr double kLatency = 250;
  const double warps =
      difference.counter(counter::kIssueActive)->slower * difference.counter(counter::kWarpLatency)->slower;
  const double latency = more / (difference.device().sm_count * kSchedulers) * kLatency / std::max(warps, 1.0);
  const double stalls = difference.share_of_stalls({counter::kLongScoreboard, counter::kLgThrottle});
  const double instructions = difference.share_of_factor(executed->times_less());
  return std::min(difference.share_of_cycles(latency), std::max(stalls, instructions));
}

std::optional<Finding> local_accesses(const Difference& difference, std::string_view cause, const std::string& reason) {
  const double share = share_of_local(difference);
  if (share < kLeastShare) return std::nullopt;
  const Both accesses = *difference.sum({counter::kLocalLoads, counter::kLocalStores});
  return Finding{.cause = cause,
                 .claim = Claim::cause,
                 .sentence = fmt::format("loads and stores of local memory {}: {}",
                                         moved_text(accesses.slower, accesses.faster), reason),
                 .slower = accesses.slower,
                 .faster = accesses.faster,
                 .strength = share};
}

std::string spills_text(const Difference& difference) {
  return fmt::format("{} spills {} bytes of registers, {} {}", difference.slower().name, spilled(difference.slower()),
                     difference.faster().name, spilled(difference.faster()));
}

std::string stack_text(const Difference& difference) {
  return fmt::format("arrays indexed at run time take {} bytes of the stack in {}, {} in {}",
                     difference.slower().resources.stack_bytes.value_or(0), difference.slower().name,
                     difference.faster().resources.stack_bytes.value_or(0), difference.faster().name);
}

bool spills_more(const Difference& difference) {
  return spilled(difference.slower()) > spilled(difference.faster());
}

bool stacks_more(const Difference& difference) {
  return difference.slower().resources.stack_bytes.value_or(0) > difference.faster().resources.stack_bytes.value_or(0);
}

}  // namespace

std::optional<Finding> register_spills(const Difference& difference) {
  if (!spills_more(difference)) return std::nullopt;
  return local_accesses(difference, "register_spills", spills_text(difference));
}

std::optional<Finding> local_indexing(const Difference& difference) {
  if (spills_more(difference) || !stacks_more(difference)) return std::nullopt;
  return local_accesses(difference, "local_indexing", stack_text(difference));
}

std::optional<Finding> spills_seen(const Difference& difference) {
  if (!spills_more(difference)) return std::nullopt;
  return Finding{.cause = "register_spills",
                 .sentence = spills_text(difference),
                 .slower = static_cast<double>(spilled(difference.slower())),
                 .faster = static_cast<double>(spilled(difference.faster()))};
}

std::optional<Finding> local_arrays_seen(const Difference& difference) {
  if (spills_more(difference) || !stacks_more(difference) ||
      in_code(difference.slower()) <= in_code(difference.faster()))
    return std::nullopt;
  return Finding{.cause = "local_indexing",
                 .sentence = stack_text(difference),
                 .slower = static_cast<double>(difference.slower().resources.stack_bytes.value_or(0)),
                 .faster = static_cast<double>(difference.faster().resources.stack_bytes.value_or(0))};
}

}  // namespace tuner::explain

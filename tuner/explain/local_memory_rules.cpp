#include <fmt/format.h>

#include <algorithm>

#include "tuner/explain/l2_path.hpp"
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
  // At most each of them waits for L2 with nothing else to do meanwhile; and what they write goes there, which is more
  // where the threads of a warp write to different places of their arrays.
  constexpr double kLatency = 250;
  const double warps =
      difference.counter(counter::kIssueActive)->slower * difference.counter(counter::kWarpLatency)->slower;
  const double latency = more / (difference.device().sm_count * kSchedulers) * kLatency / std::max(warps, 1.0);
  const double stalls = difference.share_of_stalls({counter::kLongScoreboard, counter::kLgThrottle});
  const double instructions = difference.share_of_factor(executed->times_less());
  const double written = most_of_l2_bytes(difference, more_local_bytes(difference));
  return std::min(std::max(difference.share_of_cycles(latency), written), std::max(stalls, instructions));
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

/// Whether spilling accounts for most accesses to local memory that the slower one's code has more: the compiler says
/// how many bytes they move, at least 4 each.
bool spills_more(const Difference& difference) {
  const int more = spilled(difference.slower()) - spilled(difference.faster());
  return more > 0 && more / 2 >= in_code(difference.slower()) - in_code(difference.faster());
}

/// Arrays are on the stack, whether they are new or accessed more often.
bool stacks_more(const Difference& difference) {
  const int slower = difference.slower().resources.stack_bytes.value_or(0);
  return slower > difference.faster().resources.stack_bytes.value_or(0) ||
         (slower > 0 && in_code(difference.slower()) > in_code(difference.faster()));
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

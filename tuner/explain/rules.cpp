#include "tuner/explain/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/explain/rule_list.hpp"

namespace tuner::explain {
namespace {

constexpr std::array<Rule, 8> kSpecial{bank_conflicts, uncoalesced_access, register_spills, local_indexing,
                                       divergence,     fp64_literal,       fp64_arithmetic, contended_atomics};
constexpr std::array<Rule, 4> kHiding{bytes_under_way, occupancy_by_registers, occupancy_by_shared,
                                      occupancy_by_blocks};
constexpr std::array<Rule, 4> kFull{dram_traffic, writes_to_l2, shared_wavefronts, block_starts};
constexpr std::array<Rule, 9> kGeneral{most_stalls,         barriers,        small_grid, instruction_count,
                                       idle_registers_used, memory_requests, load_width, exposed_latencies,
                                       bandwidth_binds};
constexpr std::array<Rule, 8> kWithoutCounters{spills_seen,     local_arrays_seen,    doubles_seen,
                                               atomics_seen,    bytes_under_way_seen, occupancy_seen,
                                               load_width_seen, latencies_seen};

/// A special cause, and a general one that shows how it acts: what the former accounts for, the latter does not account
/// for again.
struct Follows {
  std::string_view special, general;
};
constexpr std::array<Follows, 12> kFollows{{{"uncoalesced_access", "dram_traffic"},
                                            {"register_spills", "dram_traffic"},
                                            {"local_indexing", "dram_traffic"},
                                            {"register_spills", "instruction_count"},
                                            {"local_indexing", "instruction_count"},
                                            {"divergence", "instruction_count"},
                                            {"fp64_literal", "instruction_count"},
                                            {"fp64_arithmetic", "instruction_count"},
                                            {"contended_atomics", "instruction_count"},
                                            {"bank_conflicts", "barriers"},
                                            {"contended_atomics", "barriers"},
                                            {"divergence", "barriers"}}};

/// Less than this, and most of the difference is unexplained.
constexpr double kExplained = 0.3;

template <std::size_t Count>
std::vector<Finding> ask(const std::array<Rule, Count>& rules, const Difference& difference) {
  std::vector<Finding> findings;
  for (const Rule rule : rules) {
    if (auto finding = rule(difference)) findings.push_back(std::move(*finding));
  }
  return findings;
}

double strongest(const std::vector<Finding>& findings) {
  double most = 0;
  for (const Finding& finding : findings) {
    if (finding.claim == Claim::cause) most = std::max(most, finding.strength);
  }
  return most;
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
  for (Finding& finding : more) all.push_back(std::move(finding));
}

void subtract_special(std::vector<Finding>& general, const std::vector<Finding>& special) {
  for (Finding& finding : general) {
    double accounted = 0;
    for (const Finding& other : special) {
      const auto applies = [&](const Follows& one) {
        return one.special == other.cause && one.general == finding.cause;
      };
      if (std::any_of(kFollows.begin(), kFollows.end(), applies)) accounted = std::max(accounted, other.strength);
    }
    if (finding.claim != Claim::cause || accounted == 0) continue;
    const double rest = finding.strength - accounted;
    if (rest < kSmallShare) {
      finding.claim = Claim::consequence;
    } else {
      finding.strength = rest;
    }
  }
}

Finding unexplained(const Difference& difference, double explained) {
  const double longer = 100 * (difference.ratio() - 1), rest = longer * (1 - explained);
  std::string sentence =
      !difference.counted() ? fmt::format("why {} takes {:.1f} % longer is unexplained without hardware counters",
                                          difference.slower().name, longer)
      : explained > 0       ? fmt::format("of the {:.1f} % that {} takes longer, {:.1f} are unexplained", longer,
                                          difference.slower().name, rest)
                      : fmt::format("why {} takes {:.1f} % longer is unexplained", difference.slower().name, longer);
  return {.cause = "unexplained",
          .claim = Claim::unexplained,
          .sentence = std::move(sentence),
          .slower = longer,
          .faster = rest,
          .strength = 1 - explained};
}

}  // namespace

std::vector<Finding> explain_difference(const ConfigurationFacts& slower, const ConfigurationFacts& faster,
                                        const DeviceInfo& device) {
  const std::optional<Difference> difference = Difference::between(slower, faster, device);
  if (!difference) return {};
  if (!difference->counted()) {
    std::vector<Finding> seen = ask(kWithoutCounters, *difference);
    seen.push_back(unexplained(*difference, 0));
    return seen;
  }
  std::vector<Finding> special = ask(kSpecial, *difference), hiding = ask(kHiding, *difference);
  std::vector<Finding> general = ask(kFull, *difference);
  // Latencies that something else makes long look as if too little were done to hide them.
  const double left = 1 - std::max(strongest(special), strongest(general));
  append(general, ask(kGeneral, *difference));
  for (Finding& finding : hiding) finding.strength = std::min(finding.strength, left);
  std::erase_if(hiding, [&](const Finding& finding) {
    return finding.strength < kLeastShare || (left < 1 && finding.strength < kSmallShare);
  });
  subtract_special(general, special);
  // Not twice what a cause says.
  std::erase_if(general, [&](const Finding& finding) {
    const auto says = [&](const Finding& other) { return other.sentence.starts_with(finding.sentence); };
    return std::any_of(hiding.begin(), hiding.end(), says);
  });
  const auto is_of_bytes = [](const Finding& finding) { return finding.cause == "bytes_under_way"; };
  if (std::none_of(hiding.begin(), hiding.end(), is_of_bytes))
    std::erase_if(general, [](const Finding& finding) { return finding.cause == "idle_registers"; });

  append(special, std::move(hiding));
  std::stable_sort(special.begin(), special.end(),
                   [&](const Finding& a, const Finding& b) { return a.strength > b.strength; });
  std::stable_sort(general.begin(), general.end(), [](const Finding& a, const Finding& b) {
    return a.claim != b.claim ? a.claim < b.claim : a.strength > b.strength;
  });
  const auto weak =
      std::find_if(special.begin(), special.end(), [](const Finding& one) { return one.strength < kSmallShare; });
  const auto no_cause =
      std::find_if(general.begin(), general.end(), [](const Finding& one) { return one.claim != Claim::cause; });
  std::vector<Finding> result(special.begin(), weak);
  result.insert(result.end(), general.begin(), no_cause);
  result.insert(result.end(), weak, special.end());
  result.insert(result.end(), no_cause, general.end());
  const double explained = strongest(result);
  if (explained < kExplained) result.push_back(unexplained(*difference, explained));
  return result;
}

std::vector<std::string_view> rule_names() {
  return {"bank_conflicts",    "uncoalesced_access", "register_spills",   "local_indexing",  "divergence",
          "fp64_literal",      "fp64_arithmetic",    "contended_atomics", "bytes_under_way", "occupancy_registers",
          "occupancy_shared",  "occupancy_blocks",   "occupancy_warps",   "dram_traffic",    "writes_to_l2",
          "shared_wavefronts", "barriers",           "instruction_count", "memory_requests", "idle_registers",
          "load_width",        "exposed_latencies",  "block_starts",      "small_grid",      "stalls",
          "bandwidth_binds",   "unexplained"};
}

std::string_view claim_name(Claim claim) {
  constexpr std::array<std::string_view, 4> kNames{"cause", "consequence", "observation", "unexplained"};
  return kNames.at(static_cast<std::size_t>(claim));
}

}  // namespace tuner::explain

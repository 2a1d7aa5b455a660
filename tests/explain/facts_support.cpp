#include "tests/explain/facts_support.hpp"

#include <string>

namespace tuner::explain::testing {
namespace {

constexpr double kMaxWarps = 16;  // of a scheduler

double of(const ConfigurationFacts& facts, std::string_view name) {
  const auto found = facts.counters.find(name);
  return found == facts.counters.end() ? 0 : found->second;
}

ConfigurationFacts plain(const char* name) {
  ConfigurationFacts facts;
  facts.name = name;
  facts.geometry = {.grid = {100000, 1, 1}, .block = {256, 1, 1}};
  facts.resources.registers = 32;
  facts.code.emplace();
  facts.code->loads.to_registers = {0, 1, 0, 0};
  facts.code->under_way = {.loads = 1, .bytes = 4};
  count(facts, counter::kInstructions, 1e8);
  count(facts, counter::kOccupancy, 100);
  count(facts, counter::kThreadsPerInstruction, 32);
  count(facts, counter::kThreadsNotPredicatedOff, 32);
  count(facts, counter::kGlobalLoadRequests, 1e7);
  count(facts, counter::kGlobalLoadSectors, 4e7);
  count(facts, counter::kDramThroughput, 20);
  count(facts, counter::kWarpLatency, 20);
  for (const std::string_view reason :
       {counter::kLongScoreboard, counter::kShortScoreboard, counter::kLgThrottle, counter::kMioThrottle,
        counter::kMathPipeThrottle, counter::kBarrier, counter::kWait, counter::kNotSelected, counter::kNoInstruction,
        counter::kDrain})
    count(facts, reason, 0);
  return facts;
}

}  // namespace

void count(ConfigurationFacts& facts, std::string_view name, double value) {
  facts.counters[std::string(name)] = value;
}

void count_both(Pair& pair, std::string_view name, double slower, double faster) {
  count(pair.slower, name, slower);
  count(pair.faster, name, faster);
}

Pair::Pair(double ratio) : slower(plain("the baseline")), faster(plain("the winner")), device(known_device("H200")) {
  count(slower, counter::kWarpLatency, 20 * ratio);
}

void Pair::spend(ConfigurationFacts& facts, std::string_view reason, double cycles) {
  count(facts, counter::kWarpLatency, of(facts, counter::kWarpLatency) + cycles - of(facts, reason));
  count(facts, reason, cycles);
}

void Pair::settle() {
  for (ConfigurationFacts* const facts : {&slower, &faster}) {
    const double warps = kMaxWarps * of(*facts, counter::kOccupancy) / 100;
    const double issue = warps / of(*facts, counter::kWarpLatency);
    count(*facts, counter::kIssueActive, issue);
    if (!facts->counters.contains(counter::kWarpsEligible)) count(*facts, counter::kWarpsEligible, 1.5 * issue);
    facts->time_ns = of(*facts, counter::kInstructions) / (4.0 * device.sm_count) / issue / 1.755;
    add_derived(*facts, device);
  }
  const double ratio = *slower.time_ns / *faster.time_ns;
  slower.to_other = TimeRatio{ratio * 0.999, ratio, ratio * 1.001};
}

std::vector<Finding> Pair::explained() {
  settle();
  return explain_difference(slower, faster, device);
}

const Finding* find(const std::vector<Finding>& findings, std::string_view cause) {
  for (const Finding& finding : findings) {
    if (finding.cause == cause) return &finding;
  }
  return nullptr;
}

std::vector<std::string_view> causes(const std::vector<Finding>& findings) {
  std::vector<std::string_view> result;
  for (const Finding& finding : findings) {
    if (finding.claim == Claim::cause) result.push_back(finding.cause);
  }
  return result;
}

}  // namespace tuner::explain::testing

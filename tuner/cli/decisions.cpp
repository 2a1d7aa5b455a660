#include "tuner/cli/decisions.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/task/not_compared_json.hpp"
#include "tuner/outcome.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json microseconds(const std::optional<double>& nanoseconds) {
  return nanoseconds ? Json(*nanoseconds / 1e3) : Json(nullptr);
}

Json conditions_json(const cache::Conditions& conditions) {
  return {{"tuner", text_or_null(conditions.tuner_version)},
          {"toolkit", text_or_null(conditions.toolkit)},
          {"driver", text_or_null(conditions.driver)}};
}

}  // namespace

std::vector<NumberedDecision> numbered_decisions(const cache::Store& store) {
  std::vector<NumberedDecision> numbered;
  std::vector<cache::Decision> decisions = store.list_decisions({});
  std::size_t number = decisions.size();
  for (cache::Decision& decision : decisions) numbered.push_back({number--, std::move(decision)});
  return numbered;
}

cache::Decision shown(cache::Decision decision) {
  const auto show = [](std::string& text) { text = one_line(text); };
  cache::DecisionKey& key = decision.key;
  cache::Conditions& conditions = decision.conditions;
  for (std::string* text :
       {&key.kernel_name, &key.kernel_identity, &key.problem, &key.device, &key.mode, &decision.configuration,
        &decision.baseline, &decision.launch, &conditions.tuner_version, &conditions.toolkit, &conditions.driver})
    show(*text);
  for (cache::Tie& tie : decision.ties) show(tie.configuration);
  std::map<std::string, std::int64_t> counters;
  for (const auto& [name, count] : decision.counters) counters[one_line(name)] = count;
  decision.counters = std::move(counters);
  return decision;
}

std::string device_name(const std::string& identity) {
  return identity.substr(0, identity.find('|'));
}

std::string speedup_cell(const cache::Decision& decision) {
  if (!decision.baseline.empty() && decision.baseline == decision.configuration) return "baseline";
  if (!decision.speedup) return "-";
  if (!decision.speedup_low || !decision.speedup_high) return fmt::format("{:.3f}x (?)", *decision.speedup);
  return fmt::format("{:.3f}x ({:.3f}-{:.3f})", *decision.speedup, *decision.speedup_low, *decision.speedup_high);
}

Json decision_json(const NumberedDecision& numbered) {
  const cache::Decision& decision = numbered.decision;
  Json ties = Json::array();
  for (const cache::Tie& tie : decision.ties) {
    ties.push_back({{"configuration", tie.configuration}, {"relative_time", tie.relative_time}});
  }
  Json counters = Json::object();
  for (const auto& [name, count] : decision.counters) counters[name] = count;
  return {{"number", numbered.number},
          {"kernel", decision.key.kernel_name},
          {"kernel_identity", decision.key.kernel_identity},
          {"problem", decision.key.problem},
          {"device", decision.key.device},
          {"mode", decision.key.mode},
          {"objective", decision.key.objective},
          {"configuration", decision.configuration},
          {"time_us", decision.time_ns / 1e3},
          {"baseline", text_or_null(decision.baseline)},
          {"baseline_time_us", microseconds(decision.baseline_time_ns)},
          {"speedup", or_null(decision.speedup)},
          {"speedup_low", or_null(decision.speedup_low)},
          {"speedup_high", or_null(decision.speedup_high)},
          {"confidence", decision.confidence},
          {"race_blocks", decision.race_blocks},
          {"ties", std::move(ties)},
          {"verified", decision.verified},
          {"awkward_sizes", decision.awkward_sizes},
          {"not_compared", not_compared_json(not_compared_in(decision.counters))},
          {"noisy", decision.noisy},
          {"contended", decision.contended},
          {"launch", text_or_null(decision.launch)},
          {"binary_hash", text_or_null(decision.binary_hash)},
          {"counters", std::move(counters)},
          {"conditions", conditions_json(decision.conditions)},
          {"origin", cache::to_string(decision.origin)},
          {"session", decision.session},
          {"created_unix_ms", decision.created_unix_ms}};
}

Json quarantined_json(const cache::Quarantined& quarantined) {
  return {{"kernel", quarantined.key.kernel_name},
          {"kernel_identity", quarantined.key.kernel_identity},
          {"problem", quarantined.key.problem},
          {"device", quarantined.key.device},
          {"mode", quarantined.key.mode},
          {"configuration", quarantined.configuration},
          {"outcome", to_string(quarantined.outcome)},
          {"message", text_or_null(quarantined.message)},
          {"launch", quarantined.launch},
          {"binary_hash", quarantined.binary_hash},
          {"driver", text_or_null(quarantined.driver)},
          {"session", quarantined.session},
          {"created_unix_ms", quarantined.created_unix_ms}};
}

Json trial_json(const cache::Trial& trial) {
  Json samples = Json::array();
  for (const double sample : trial.samples_ns) samples.push_back(sample / 1e3);
  return {{"configuration", trial.configuration},
          {"outcome", to_string(trial.outcome)},
          {"message", text_or_null(trial.message)},
          {"time_us", microseconds(trial.time_ns)},
          {"censored", trial.censored},
          {"samples_us", std::move(samples)},
          {"registers", or_null(trial.facts.registers)},
          {"spill_store_bytes", or_null(trial.facts.spill_store_bytes)},
          {"spill_load_bytes", or_null(trial.facts.spill_load_bytes)},
          {"occupancy", or_null(trial.facts.occupancy)},
          {"occupancy_limiter", text_or_null(trial.facts.occupancy_limiter)},
          {"launch", text_or_null(trial.launch)},
          {"duplicate_of", text_or_null(trial.duplicate_of)},
          {"compile_ms", trial.compile_ms},
          {"verify_ms", trial.verify_ms},
          {"timing_ms", trial.timing_ms},
          {"conditions", conditions_json(trial.conditions)},
          {"origin", cache::to_string(trial.origin)},
          {"session", trial.session},
          {"sequence", trial.sequence},
          {"created_unix_ms", trial.created_unix_ms}};
}

void print_json(const Json& object) {
  std::fputs((printable_json(object.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n").c_str(), stdout);
}

}  // namespace tuner::cli

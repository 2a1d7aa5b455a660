#include "tuner/engine/searching/earlier_sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::engine {

namespace {

/// Whether the same would happen again. Memory and workers are lost to what else goes on; how long a launch or a
/// compiler was given, and how much memory, is not in the row.
bool says_something(Outcome outcome) {
  switch (outcome) {
    case Outcome::compile_timeout:
    case Outcome::compile_memory:
    case Outcome::run_timeout:
    case Outcome::out_of_memory:
    case Outcome::worker_lost:
      return false;
    default:
      return true;
  }
}

/// Whether a default tolerance alone decided, as before rounding was measured: what is rejected now says that it was.
bool ignores_rounding(const cache::Trial& trial) {
  constexpr std::array kTypes{ElementType::float16, ElementType::bfloat16, ElementType::float32, ElementType::float64};
  return std::any_of(kTypes.begin(), kTypes.end(), [&](ElementType type) {
    const std::string tolerance = fmt::format("(rtol {:.3g}, atol {:.3g})", default_rtol(type), default_atol(type));
    return trial.message.find(tolerance) != std::string::npos;
  });
}

}  // namespace

bool EarlierSessions::any(const cache::Store& store, const cache::DecisionKey& key) {
  const std::vector<cache::DecisionKey> keys = store.list_keys({key.kernel_name, key.problem, key.device});
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void EarlierSessions::read_quarantine(const cache::Store& store, const cache::Trial& common,
                                      std::chrono::milliseconds launch_timeout) {
  quarantine_ = store.find_quarantine(common.key, common.conditions.driver);
  // What hung for a shorter time than a launch is given now may only have been slow.
  std::erase_if(quarantine_, [&](const cache::Quarantined& one) {
    return one.launch_timeout_ms && launch_timeout.count() > *one.launch_timeout_ms;
  });
}

void EarlierSessions::read_trials(const cache::Store& store, const cache::Trial& common, const std::string& toolkit) {
  std::map<std::string, cache::Trial, std::less<>> trials;
  std::optional<double> result_cost_ms;
  // What never reached a compiler, because its launch made no sense, has no toolkit.
  for (const std::string& of_toolkit : {std::string(), toolkit}) {
    cache::Run run = common;
    run.conditions.toolkit = of_toolkit;
    for (cache::Trial& trial : store.find_reusable(run)) {
      if (trial.result_cost_ms) result_cost_ms = trial.result_cost_ms;
      std::string configuration = trial.configuration;
      trials.insert_or_assign(std::move(configuration), std::move(trial));
    }
  }
  trials_ = std::move(trials);
  result_cost_ms_ = result_cost_ms;
}

const cache::Trial* EarlierSessions::trial_of(const Entry& entry) const {
  const auto found = trials_.find(entry.trial.configuration);
  if (found == trials_.end()) return nullptr;
  const cache::Trial& trial = found->second;
  if (trial.launch != entry.trial.launch || ignores_rounding(trial)) return nullptr;
  const bool may_run = find(trial.facts.binary_hash, entry.launch()) == nullptr;
  // What is in quarantine was confirmed: it need not be compiled again to know.
  const bool holds =
      trial.outcome == Outcome::ok ? may_run && trial.time_ns : !may_run || says_something(trial.outcome);
  return holds ? &trial : nullptr;
}

bool EarlierSessions::has_cost(const Entry& entry) const {
  const auto found = trials_.find(entry.trial.configuration);
  return found != trials_.end() && found->second.result_cost_ms;
}

const cache::Quarantined* EarlierSessions::quarantined(const Entry& entry) const {
  return find(entry.trial.facts.binary_hash, entry.launch());
}

const cache::Quarantined* EarlierSessions::find(const cache::Hash& binary_hash, const std::string& launch) const {
  if (binary_hash.empty()) return nullptr;
  const auto found = std::find_if(quarantine_.begin(), quarantine_.end(), [&](const cache::Quarantined& one) {
    return one.binary_hash == binary_hash && one.launch == launch;
  });
  return found == quarantine_.end() ? nullptr : &*found;
}

std::string explain(const cache::Quarantined& quarantined) {
  return fmt::format(
      "It is not launched, because its binary has been quarantined since {}: {} `tuner forget` lifts the quarantine.",
      date_text(quarantined.created_unix_ms), quarantined.message);
}

}  // namespace tuner::engine

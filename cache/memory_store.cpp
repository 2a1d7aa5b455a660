#include "cache/memory_store.hpp"

#include <algorithm>

#include "cache/store_rules.hpp"

namespace tuner::cache {
namespace {

bool passes(const Filter& filter, const DecisionKey& key) {
  const auto admits = [](const std::string& wanted, const std::string& actual) {
    return wanted.empty() || wanted == actual;
  };
  return admits(filter.kernel_name, key.kernel_name) && admits(filter.problem, key.problem) &&
         admits(filter.device, key.device);
}

}  // namespace

void MemoryStore::record_trials(std::span<const Trial> trials) {
  for (const Trial& trial : trials) require_storable(trial);
  for (const Trial& trial : trials) {
    trials_.push_back(trial);
    trials_.back().created_unix_ms = stamp(trial.created_unix_ms);
  }
}

void MemoryStore::record_decision(const Decision& decision) {
  require_storable(decision);
  decisions_.push_back(decision);
  decisions_.back().created_unix_ms = stamp(decision.created_unix_ms);
}

std::optional<Decision> MemoryStore::find_decision(const DecisionKey& key) const {
  const auto newest = std::find_if(decisions_.rbegin(), decisions_.rend(),
                                   [&](const Decision& decision) { return decision.key == key; });
  if (newest == decisions_.rend()) return std::nullopt;
  return *newest;
}

std::vector<Decision> MemoryStore::list_decisions(const Filter& filter) const {
  std::vector<Decision> newest;
  for (auto decision = decisions_.rbegin(); decision != decisions_.rend(); ++decision) {
    if (!passes(filter, decision->key)) continue;
    const bool superseded =
        std::any_of(newest.begin(), newest.end(), [&](const Decision& listed) { return listed.key == decision->key; });
    if (!superseded) newest.push_back(*decision);
  }
  return newest;
}

std::vector<Trial> MemoryStore::find_trials(const DecisionKey& key) const {
  std::vector<Trial> found;
  std::copy_if(trials_.begin(), trials_.end(), std::back_inserter(found),
               [&](const Trial& trial) { return trial.key == key; });
  return found;
}

}  // namespace tuner::cache

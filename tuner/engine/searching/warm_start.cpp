#include "tuner/engine/searching/warm_start.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

constexpr std::size_t kMost = 100;
constexpr std::size_t kSites = 3;  // of which trials are read, too

/// Smaller is nearer.
using Remoteness = std::tuple<bool, int, double, bool>;

double far(const Task& task, const std::string& problem) {
  constexpr double kAsFarAsCanBe = std::numeric_limits<double>::infinity();
  try {
    return distance(task.description(), parse_problem(problem), task.problem()).value_or(kAsFarAsCanBe);
  } catch (const Error&) {
    return kAsFarAsCanBe;  // another version of the kernel had other properties
  }
}

Remoteness remoteness(const Task& task, const cache::DecisionKey& here, const cache::DecisionKey& there) {
  const bool same_architecture = compute_capability(there.device) == compute_capability(here.device);
  const int place = there.device == here.device ? 0 : same_architecture ? 1 : 2;
  return {there.kernel_identity != here.kernel_identity, place, far(task, there.problem), there.mode != here.mode};
}

std::optional<search::Configuration> valid_here(const Task& task, const std::string& configuration) {
  try {
    search::Configuration parsed = task.space().parse(configuration);
    if (task.space().contains(parsed) && parsed != task.baseline()) return parsed;
  } catch (const Error&) {
    // A parameter or value that this version of the kernel does not have.
  }
  return std::nullopt;
}

/// Behind those that are promising, if it is valid here and none of them.
void add_promising(const Task& task, const std::string& text, std::vector<search::Configuration>& promising) {
  if (promising.size() == kMost) return;
  const auto configuration = valid_here(task, text);
  if (configuration && std::find(promising.begin(), promising.end(), *configuration) == promising.end()) {
    promising.push_back(*configuration);
  }
}

/// Without the assignments of parameters that the space does not have; nothing if none is left.
std::string known_part(const search::Space& space, const std::string& hint) {
  std::string known;
  for (const std::string& assignment : split_assignments(hint)) {
    const std::string_view name = std::string_view(assignment).substr(0, assignment.find('='));
    const bool is_known = std::any_of(space.parameters().begin(), space.parameters().end(),
                                      [&](const search::Parameter& parameter) { return parameter.name == name; });
    if (is_known) known += (known.empty() ? "" : ",") + assignment;
  }
  return known;
}

/// What ran there, fastest first.
std::vector<std::string> fastest_trials(const cache::Store& store, const cache::DecisionKey& key) {
  std::vector<cache::Trial> trials = store.find_trials(key);
  std::erase_if(trials, [](const cache::Trial& trial) {
    return trial.outcome != Outcome::ok || !trial.time_ns || trial.censored || trial.origin == cache::Origin::replay;
  });
  std::stable_sort(trials.begin(), trials.end(),
                   [](const cache::Trial& a, const cache::Trial& b) { return *a.time_ns < *b.time_ns; });
  std::vector<std::string> result;
  for (cache::Trial& trial : trials) result.push_back(std::move(trial.configuration));
  return result;
}

}  // namespace

std::vector<search::Configuration> promising_configurations(const Task& task, const cache::DecisionKey& key,
                                                            const cache::Store& store) {
  struct Hint {
    Remoteness remoteness;
    cache::DecisionKey key;
    std::string configuration;
  };
  std::vector<Hint> hints;
  for (const cache::Decision& decision : store.list_decisions({.kernel_name = key.kernel_name})) {
    if (decision.origin == cache::Origin::replay || decision.key.objective != key.objective) continue;
    if (decision.key == key && decision.reuse_hash == task.reuse_hash()) continue;
    hints.push_back({remoteness(task, key, decision.key), decision.key, decision.configuration});
  }
  // Newest first, as they were listed, where nothing else tells them apart.
  std::stable_sort(hints.begin(), hints.end(),
                   [](const Hint& a, const Hint& b) { return a.remoteness < b.remoteness; });
  std::vector<search::Configuration> promising;
  for (const Hint& hint : hints) add_promising(task, hint.configuration, promising);
  for (std::size_t i = 0; i < std::min(kSites, hints.size()); ++i) {
    for (const std::string& text : fastest_trials(store, hints[i].key)) add_promising(task, text, promising);
  }
  return promising;
}

std::vector<search::Configuration> hinted_configurations(const Task& task, const std::vector<std::string>& hints) {
  std::vector<search::Configuration> hinted;
  for (const std::string& hint : hints) {
    if (const std::string known = known_part(task.space(), hint); !known.empty()) add_promising(task, known, hinted);
  }
  return hinted;
}

}  // namespace tuner::engine

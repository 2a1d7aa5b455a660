#include "tuner/engine/warm_start.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "tuner/core/device.hpp"
#include "tuner/core/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

constexpr std::size_t kMost = 5;

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
    if (task.space().contains(parsed)) return parsed;
  } catch (const Error&) {
    // A parameter or value that this version of the kernel does not have.
  }
  return std::nullopt;
}

}  // namespace

std::vector<search::Configuration> promising_configurations(const Task& task, const cache::DecisionKey& key,
                                                            const cache::Store& store) {
  struct Hint {
    Remoteness remoteness;
    std::string configuration;
  };
  std::vector<Hint> hints;
  for (const cache::Decision& decision : store.list_decisions({.kernel_name = key.kernel_name})) {
    if (decision.origin == cache::Origin::replay || decision.key.objective != key.objective) continue;
    if (decision.key == key && decision.reuse_hash == task.reuse_hash()) continue;
    hints.push_back({remoteness(task, key, decision.key), decision.configuration});
  }
  // Newest first, as they were listed, where nothing else tells them apart.
  std::stable_sort(hints.begin(), hints.end(),
                   [](const Hint& a, const Hint& b) { return a.remoteness < b.remoteness; });
  std::vector<search::Configuration> promising;
  for (const Hint& hint : hints) {
    if (promising.size() == kMost) break;
    const auto configuration = valid_here(task, hint.configuration);
    if (!configuration || configuration == task.baseline()) continue;
    if (std::find(promising.begin(), promising.end(), *configuration) == promising.end()) {
      promising.push_back(*configuration);
    }
  }
  return promising;
}

}  // namespace tuner::engine

#include "tuner/engine/sizes/learn_sizes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/core/task/problem.hpp"
#include "tuner/engine/sizes/configuration_facts.hpp"
#include "tuner/engine/sizes/stored_sizes.hpp"

namespace tuner::engine {

namespace {

/// Of the work, as far as it depends on the problem alone. What else may matter a rule finds among the properties.
std::vector<std::string> further_expressions(const KernelDescription& kernel) {
  std::vector<std::string> further;
  for (const auto* work : {&kernel.work.bytes, &kernel.work.flops}) {
    if (!*work) continue;
    const std::vector<std::string>& names = (*work)->names();
    const bool of_problem = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::any_of(kernel.problem.begin(), kernel.problem.end(),
                         [&](const ProblemProperty& property) { return property.name == name; });
    });
    if (of_problem) further.push_back((*work)->text());
  }
  return further;
}

/// What won somewhere and gave the right results at other sizes, too.
std::vector<std::size_t> servable(const StoredSizes& stored) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < stored.configurations.size(); ++i) {
    const bool serves = std::any_of(stored.decisions.begin(), stored.decisions.end(), [&](const auto& decision) {
      return decision.configuration == stored.configurations[i] && decision.awkward_sizes > 0;
    });
    if (serves) result.push_back(i);
  }
  return result;
}

}  // namespace

std::map<std::string, double> weights_of(const std::vector<GivenProblem>& problems) {
  std::map<std::string, double> weights;
  for (const GivenProblem& problem : problems) weights[problem_text(problem.values)] = problem.weight;
  return weights;
}

std::optional<double> near_distance(const KernelDescription& kernel, const ProblemValues& a, const ProblemValues& b) {
  const auto far = distance(kernel, a, b);
  return far && *far <= kNear ? far : std::nullopt;
}

std::optional<KernelSizes> learn_sizes(const KernelDescription& kernel, const cache::DecisionKey& key,
                                       const cache::Store& store, double within,
                                       const std::map<std::string, double>& weights) {
  const StoredSizes stored = stored_sizes(store, key);
  if (stored.decisions.size() < 2) return std::nullopt;
  const search::LossMatrix losses = stored.losses(weights);
  std::vector<TunedSize> problems;
  for (const cache::Decision& decision : stored.decisions) {
    problems.push_back({.problem = parse_problem(decision.key.problem), .decision = decision.row});
  }
  const std::vector<std::string> further = further_expressions(kernel);
  const std::vector<std::size_t> may_serve = servable(stored);
  return sizes_of(
      {.kernel = key.kernel_name,
       .device = key.device,
       .mode = key.mode,
       .configurations = stored.configurations,
       .problems = std::move(problems),
       .losses = losses,
       .within = within,
       .distance = [&](const ProblemValues& a, const ProblemValues& b) { return near_distance(kernel, a, b); },
       .further = further,
       .may_serve = may_serve,
       .facts = configuration_facts(kernel, stored.configurations)});
}

void record_sizes(const KernelSizes& sizes, cache::Store& store) {
  std::int64_t newest = 0;
  for (const TunedSize& tuned : sizes.problems) newest = std::max(newest, tuned.decision);
  KernelSizes rule = sizes;  // without what grows with the number of problems
  rule.problems.clear();
  rule.curve.clear();
  const cache::DecisionText texts[] = {
      {cache::TextKind::sizes, std::string(cache::kAllSizes), sizes_json(sizes)},
      {cache::TextKind::sizes, std::string(cache::kRuleOfSizes), sizes_json(rule)},
  };
  store.record_texts(newest, texts);
}

}  // namespace tuner::engine

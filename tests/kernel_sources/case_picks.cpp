#include "tests/kernel_sources/case_picks.hpp"

#include <algorithm>
#include <stdexcept>

#include "tuner/core/element_type.hpp"
#include "tuner/host/picks.hpp"

namespace tuner::host {
namespace {

ProblemValues problem(const Values& constants, const Values& sizes, const search::Scope& scope) {
  ProblemValues values;
  for (const Values* part : {&constants, &sizes}) {
    for (const auto& [name, expression] : *part) {
      // A type is no value of an expression: it is written as on the command line.
      const std::string text = expression.text();
      values[name] = shape_of_type(text) ? parse_problem(name + "=" + text).at(name) : expression.evaluate(scope);
    }
  }
  return values;
}

/// Whether it is not told apart on the CPU from one that is run, too.
bool is_same_as_another(const CaseList& list, const search::Space& space, const search::Configuration& configuration) {
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    const search::Parameter& parameter = space.parameters()[p];
    const bool ignored = std::find(list.same.begin(), list.same.end(), parameter.name) != list.same.end();
    if (ignored && !(space.value(configuration, p) == parameter.default_value)) return true;
  }
  return false;
}

}  // namespace

std::vector<Pick> picks_of(const std::shared_ptr<const KernelDescription>& description, const CaseList& list,
                           const DeviceInfo& device, bool whole_space) {
  std::vector<Values> constants = list.constants;
  if (constants.empty()) constants.emplace_back();
  std::vector<Task> tasks;
  for (const Values& line : constants)
    tasks.emplace_back(description, problem(line, list.space, search::Scope()), device);
  std::vector<Choice> choices;
  if (whole_space) {
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      for (std::uint64_t i = 0; i < tasks[t].space().size(); ++i) {
        const search::Configuration configuration = tasks[t].space().at(i);
        if (!is_same_as_another(list, tasks[t].space(), configuration)) choices.push_back({t, configuration});
      }
    }
  } else {
    std::vector<const Task*> all;
    for (const Task& task : tasks) all.push_back(&task);
    const search::Expression condition = search::Expression::parse(list.pairs);
    bool complete = true;
    choices = cover_tasks(
        all,
        [&](const Task& task, const search::Configuration& configuration) {
          return condition.evaluate_boolean(task.space().scope(configuration));
        },
        kMostConfigurations, complete);
    if (!complete)
      throw std::runtime_error("The part of the space named by 'pairs' needs more than 120 configurations");
  }
  std::vector<Pick> picks;
  for (const Choice& choice : choices) {
    const search::Space& space = tasks[choice.task].space();
    Pick& pick = picks.emplace_back();
    pick.configuration = space.text(choice.configuration);
    for (const Values& sizes : list.sizes)
      pick.problems.push_back(problem(constants[choice.task], sizes, space.scope(choice.configuration)));
  }
  return picks;
}

}  // namespace tuner::host

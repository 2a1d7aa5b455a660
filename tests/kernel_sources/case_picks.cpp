#include "tests/kernel_sources/case_picks.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "bench/kernels/lists.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/host/picks.hpp"

namespace tuner::host {
namespace {

constexpr std::size_t kMostConfigurations = 120;

ProblemValues problem(ProblemValues values, const Values& more, const search::Scope& scope) {
  for (const auto& [name, expression] : more) {
    // A type is no value of an expression: it is written as on the command line.
    const std::string text = expression.text();
    values[name] = shape_of_type(text) ? parse_problem(name + "=" + text).at(name) : expression.evaluate(scope);
  }
  return values;
}

Pick pick(const Task& task, const search::Configuration& configuration, const ProblemValues& constants,
          const CaseList& list) {
  Pick result{task.space().text(configuration), {}};
  const search::Scope scope = task.space().scope(configuration);
  for (const Values& sizes : list.sizes) result.problems.push_back(problem(constants, sizes, scope));
  return result;
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
  std::vector<ProblemValues> constants;
  for (const Values& line : list.constants) constants.push_back(problem({}, line, search::Scope()));
  if (constants.empty()) constants.emplace_back();
  std::vector<Task> tasks;
  for (const ProblemValues& line : constants)
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
  for (const Choice& choice : choices)
    picks.push_back(pick(tasks[choice.task], choice.configuration, constants[choice.task], list));
  return picks;
}

std::vector<Pick> named_picks(const std::shared_ptr<const KernelDescription>& description, const CaseList& list,
                              const DeviceInfo& device, const std::filesystem::path& study) {
  std::set<std::string> names;
  for (const Values& line : list.constants) {
    for (const auto& [name, expression] : line) names.insert(name);
  }
  std::vector<bench::StudyLine> lines = bench::read_study(study);
  for (const std::string& configuration : list.also) lines.push_back({"also", "", configuration, 0});
  std::vector<Pick> picks;
  for (const bench::StudyLine& line : lines) {
    ProblemValues constants = line.problem.empty() ? ProblemValues() : parse_problem(line.problem);
    std::erase_if(constants, [&](const auto& property) { return !names.contains(property.first); });
    const Task task(description, problem(constants, list.space, search::Scope()), device);
    const search::Configuration configuration = task.space().parse(line.configuration);
    if (const auto broken = task.space().why_invalid(configuration))
      throw std::runtime_error(line.label + " (" + line.configuration + "): " + *broken);
    picks.push_back(pick(task, configuration, constants, list));
  }
  return picks;
}

}  // namespace tuner::host

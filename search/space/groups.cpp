#include "search/space/groups.hpp"

#include <algorithm>
#include <numeric>

namespace tuner::search {

std::vector<std::vector<std::uint32_t>> supports(const ConstraintProgram& program) {
  std::vector<std::vector<std::uint32_t>> result(program.steps().size());
  std::vector<std::uint32_t> joined;
  for (StepId id = 0; id < result.size(); ++id) {
    const Step& step = program.steps()[id];
    if (step.kind == Step::Kind::parameter) result[id].push_back(step.operands[0]);
    program.for_operands(step, [&](StepId operand) {
      joined.clear();
      std::set_union(result[id].begin(), result[id].end(), result[operand].begin(), result[operand].end(),
                     std::back_inserter(joined));
      result[id] = joined;
    });
  }
  return result;
}

std::vector<Group> make_groups(const ConstraintProgram& program, std::size_t parameters) {
  // Union and find: each parameter leads to an earlier one of its group, or to itself.
  std::vector<std::uint32_t> leader(parameters);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::uint32_t parameter) {
    while (leader[parameter] != parameter) parameter = leader[parameter] = leader[leader[parameter]];
    return parameter;
  };
  const std::vector<std::vector<std::uint32_t>> support = supports(program);
  std::vector<StepId> conditions;
  for (const ConstraintProgram::Condition& condition : program.conditions()) {
    if (support[condition.step].empty()) continue;
    if (std::find(conditions.begin(), conditions.end(), condition.step) == conditions.end()) {
      conditions.push_back(condition.step);
    }
    for (const std::uint32_t parameter : support[condition.step]) {
      const std::uint32_t a = find(support[condition.step].front());
      const std::uint32_t b = find(parameter);
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<Group> result;
  std::vector<std::uint32_t> group_of(parameters);
  for (std::uint32_t i = 0; i < parameters; ++i) {
    if (program.values(i).size() < 2) continue;
    if (find(i) == i) {
      group_of[i] = static_cast<std::uint32_t>(result.size());
      result.emplace_back();
    }
    group_of[i] = group_of[find(i)];
    result[group_of[i]].parameters.push_back(i);
  }
  for (const StepId condition : conditions) {
    result[group_of[support[condition].front()]].conditions.push_back(condition);
  }
  return result;
}

}  // namespace tuner::search

#include "search/space/group_plan.hpp"

#include <algorithm>
#include <set>

namespace tuner::search {
namespace {

constexpr std::size_t kMaskBits = 63;  // one bit of a state's mask says that something could not be computed

class Planner {
 public:
  Planner(const ConstraintProgram& program, const Group& group)
      : program_(program), group_(group), needed_(program.steps().size()) {
    for (std::size_t i = 0; i < group.conditions.size(); ++i) {
      conditions_.push_back({group.conditions[i], i < kMaskBits ? std::uint64_t{1} << i : 0});
      below_.push_back(parts(group.conditions[i]));
      for (const StepId id : below_.back()) needed_[id] = true;
    }
  }

  GroupPlan plan() {
    GroupPlan result;
    result.ranges = free_ranges(program_);
    for (const std::uint32_t parameter : group_.parameters) result.stages.push_back(stage(parameter));
    return result;
  }

 private:
  enum class Use : std::uint8_t { none, known, ranged };

  const Step& step(StepId id) const { return program_.steps()[id]; }

  /// Everything that a condition is made of, ascending: operands come before what uses them.
  std::vector<StepId> parts(StepId root) const {
    std::vector<StepId> result{root};
    std::set<StepId> seen{root};
    for (std::size_t i = 0; i < result.size(); ++i) {
      program_.for_operands(step(result[i]), [&](StepId operand) {
        if (seen.insert(operand).second) result.push_back(operand);
      });
    }
    return {seen.begin(), seen.end()};
  }

  Stage stage(std::uint32_t parameter) const {
    Stage result;
    result.parameter = parameter;
    const std::uint32_t level = parameter + 1;
    for (StepId id = 0; id < needed_.size(); ++id) {
      if (!needed_[id] || step(id).level != level) continue;
      const bool is_parameter = step(id).kind == Step::Kind::parameter;
      if (is_parameter) {
        result.cell = id;
        result.has_cell = true;
      }
      const bool test = std::find(group_.conditions.begin(), group_.conditions.end(), id) != group_.conditions.end();
      if (test || !is_parameter) result.actions.push_back({id, !is_parameter, test});
    }
    keep_cells(result, level);
    if (result.has_cell) plan_ranges(result, level);
    return result;
  }

  /// Walks from each condition that is still open to the values that are known at `level`.
  void keep_cells(Stage& stage, std::uint32_t level) const {
    std::vector<std::uint64_t> needed_by(needed_.size());
    std::vector<std::size_t> seen(needed_.size());
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      if (step(conditions_[i].step).level <= level) continue;
      stage.open |= conditions_[i].bit;
      std::vector<StepId> waiting{conditions_[i].step};
      while (!waiting.empty()) {
        const StepId id = waiting.back();
        waiting.pop_back();
        if (step(id).constant || seen[id] == i + 1) continue;
        seen[id] = i + 1;
        if (step(id).level > level) {
          program_.for_operands(step(id), [&](StepId operand) { waiting.push_back(operand); });
        } else {
          needed_by[id] |= conditions_[i].bit == 0 ? ~std::uint64_t{0} : conditions_[i].bit;
        }
      }
    }
    for (StepId id = 0; id < needed_by.size(); ++id) {
      if (needed_by[id] == 0) continue;
      stage.kept.push_back(id);
      stage.needed_by.push_back(needed_by[id]);
    }
  }

  void plan_ranges(Stage& stage, std::uint32_t level) const {
    std::vector<Use> use(needed_.size(), Use::none);
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      if (conditions_[i].bit == 0 || step(conditions_[i].step).level <= level) continue;
      if (!std::binary_search(below_[i].begin(), below_[i].end(), stage.cell)) continue;
      stage.pending.push_back(conditions_[i]);
      mark(below_[i], level, use);
    }
    for (StepId id = 0; id < use.size(); ++id) {
      if (use[id] == Use::known) stage.known.push_back(id);
      if (use[id] == Use::ranged) stage.ranged.push_back(id);
    }
  }

  /// Marks what is known at `level`, of that only what something later needs, and what depends on it.
  void mark(const std::vector<StepId>& below, std::uint32_t level, std::vector<Use>& use) const {
    for (const StepId id : below) {
      if (step(id).constant || step(id).level <= level) continue;
      bool depends = false;
      program_.for_operands(step(id), [&](StepId operand) {
        if (step(operand).constant) return;
        if (step(operand).level <= level) use[operand] = Use::known;
        depends = depends || use[operand] != Use::none;
      });
      if (depends) use[id] = Use::ranged;
    }
  }

  const ConstraintProgram& program_;
  const Group& group_;
  std::vector<bool> needed_;
  std::vector<PendingCondition> conditions_;
  std::vector<std::vector<StepId>> below_;  // by condition
};

}  // namespace

GroupPlan make_plan(const ConstraintProgram& program, const Group& group) {
  return Planner(program, group).plan();
}

}  // namespace tuner::search

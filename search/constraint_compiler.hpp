#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "search/binding.hpp"
#include "search/constraint_program.hpp"

namespace tuner::search {

/// Writes the steps of a program. Equal steps are made once (hash consing), steps over constants are computed at once.
class ConstraintCompiler {
 public:
  ConstraintCompiler(ConstraintProgram& program, std::span<const Parameter> parameters, const Scope& constants);
  void add(std::uint32_t index, const Constraint& constraint);

 private:
  StepId compile(const ExpressionTree& tree, NodeId id, const Binding::Slots& slots);
  StepId compile_name(const ExpressionTree& tree, std::uint32_t index, const Binding::Slots& slots);
  StepId compile_let(std::uint32_t index);
  StepId compile_chain(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_comparison(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_logic(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_call(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_member(const ExpressionTree& tree, StepId wanted, const Link& list, const Binding::Slots& slots);

  StepId constant(const Operand& value);
  StepId parameter(std::uint32_t index);
  StepId combine(Step::Kind kind, StepId a, StepId b, Sign sign = Sign::none);
  /// The step, or an equal one, or what it is worth where that is known already.
  StepId make(Step step, std::span<const StepId> more = {});
  StepId keep(Step step, std::span<const StepId> more);
  bool decided_by_first(const Step& step, StepId& result) const;
  Operand computed(const Step& step, std::span<const StepId> more) const;
  void classify(Step& step, std::span<const StepId> more) const;
  Operand interned(Operand value);

  ConstraintProgram& program_;
  Binding binding_;
  std::vector<StepId> lets_;  // by number; kNone: not compiled yet
  std::map<std::vector<std::uint64_t>, StepId> known_;
  std::map<std::string_view, const std::string*> names_;
};

}  // namespace tuner::search

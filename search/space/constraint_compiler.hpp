#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/space/binding.hpp"
#include "search/space/constraint_program.hpp"
#include "search/space/step_builder.hpp"

namespace tuner::search {

/// Throws ExpressionError for a name that is not known, naming the constraint.
ConstraintProgram compile_constraints(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                                      const Scope& constants);

/// Writes a program: looks names up and takes expressions apart into steps.
class ConstraintCompiler {
 public:
  ConstraintCompiler(std::span<const Parameter> parameters, const Scope& constants);
  void add(std::uint32_t index, const Constraint& constraint);
  ConstraintProgram finish();

 private:
  StepId compile(const ExpressionTree& tree, NodeId id, const Binding::Slots& slots);
  StepId compile_name(const ExpressionTree& tree, std::uint32_t index, const Binding::Slots& slots);
  StepId compile_let(std::uint32_t index);
  StepId compile_chain(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_comparison(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_logic(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_call(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots);
  StepId compile_member(const ExpressionTree& tree, StepId wanted, const Link& list, const Binding::Slots& slots);

  ConstraintProgram program_;
  StepBuilder builder_;
  Binding binding_;
  std::vector<StepId> lets_;  // by number; kNone: not compiled yet
};

}  // namespace tuner::search

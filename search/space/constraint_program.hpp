#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "search/expression/tree.hpp"
#include "search/space/interval.hpp"
#include "search/space/parameter.hpp"
#include "search/space/step.hpp"

namespace tuner::search {

/// All constraints of a space as one list of steps, each sub-expression once, whatever number of constraints or `let`s
/// it stands in: names are resolved, `let`s written out, everything that no choice changes is computed. Immutable.
/// Refers to nothing that it was made from.
class ConstraintProgram {
 public:
  ConstraintProgram(ConstraintProgram&&) noexcept = default;
  ConstraintProgram& operator=(ConstraintProgram&&) noexcept = default;

  /// A part of a constraint that must be true: constraints are split at their outermost `and`s.
  struct Condition {
    std::uint32_t constraint = 0;
    NodeId root = 0;                        ///< in the constraint's tree
    std::vector<std::uint32_t> parameters;  ///< that its text uses, by way of lets too; ascending
    StepId step = 0;
  };

  std::span<const Step> steps() const { return steps_; }
  std::span<const StepId> more() const { return more_; }
  std::span<const Condition> conditions() const { return conditions_; }
  /// The values that a parameter can have.
  std::span<const Operand> values(std::size_t parameter) const { return values_[parameter]; }

  /// Calls `visit` with each operand of a step.
  template <typename Visit>
  void for_operands(const Step& step, Visit visit) const {
    if (step.kind == Step::Kind::parameter) return;
    for (std::uint32_t i = 0; i < step.count; ++i) visit(step.operands[i]);
    for (std::uint32_t i = 0; i < step.more_count; ++i) visit(more_[step.more_first + i]);
  }

  /// Numeric sub-expressions that depend on at least two parameters, in the order in which the constraints' text first
  /// has them; at most kMostTerms.
  static constexpr std::size_t kMostTerms = 48;
  std::span<const StepId> terms() const { return terms_; }
  /// Their values for one choice a parameter: 0 for what is undefined or a name.
  void terms(std::span<const std::uint32_t> choice, std::span<double> out) const;

 private:
  friend class ConstraintCompiler;
  ConstraintProgram() = default;
  void find_terms();

  std::vector<Step> steps_;
  std::vector<StepId> more_;
  std::vector<Condition> conditions_;
  std::vector<std::vector<Operand>> values_;  // by parameter
  std::deque<std::string> names_;             // that operands refer to; a deque, because they must stay where they are
  std::vector<StepId> terms_;
  std::size_t term_steps_ = 0;  // as many of the first steps have what the terms need
};

/// By step: what its value can be while nothing is chosen.
std::vector<Range> free_ranges(const ConstraintProgram& program);

}  // namespace tuner::search

#include "search/space/constraint_compiler.hpp"
#include "search/space/constraint_program.hpp"
#include "search/space/interval.hpp"
#include "search/space/parameter.hpp"

namespace tuner::search {

bool always_holds(const Constraint& constraint, std::span<const Parameter> parameters, const Scope& constants) {
  const ConstraintProgram program = compile_constraints(parameters, {&constraint, 1}, constants);
  const std::vector<Range> ranges = free_ranges(program);
  for (const ConstraintProgram::Condition& condition : program.conditions()) {
    if (!ranges[condition.step].is_true()) return false;
  }
  return true;
}

}  // namespace tuner::search

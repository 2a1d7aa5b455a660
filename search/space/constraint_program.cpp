#include "search/space/constraint_program.hpp"

#include <algorithm>
#include <array>

namespace tuner::search {

void ConstraintProgram::find_terms() {
  constexpr std::uint32_t kSeveral = static_cast<std::uint32_t>(-1);
  // By step: 0 for no parameter, the parameter's level if it is the only one, or kSeveral.
  std::vector<std::uint32_t> uses(steps_.size());
  for (StepId id = 0; id < steps_.size(); ++id) {
    const Step& step = steps_[id];
    if (step.kind == Step::Kind::parameter) uses[id] = step.level;
    for_operands(step, [&](StepId operand) {
      if (uses[operand] != 0 && uses[id] != uses[operand]) uses[id] = uses[id] == 0 ? uses[operand] : kSeveral;
    });
    if (uses[id] == kSeveral && !step.boolean && terms_.size() < kMostTerms) terms_.push_back(id);
  }
  term_steps_ = terms_.empty() ? 0 : terms_.back() + 1;
}

void ConstraintProgram::terms(std::span<const std::uint32_t> choice, std::span<double> out) const {
  std::array<Operand, 256> few;
  std::vector<Operand> many;
  if (term_steps_ > few.size()) many.resize(term_steps_);
  Operand* const cells = many.empty() ? few.data() : many.data();
  for (StepId id = 0; id < term_steps_; ++id) {
    const Step& step = steps_[id];
    if (step.kind == Step::Kind::parameter) {
      cells[id] = values_[step.operands[0]][choice[step.operands[0]]];
    } else {
      cells[id] = step.constant ? step.value : evaluate(step, cells, more_.data());
    }
  }
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Operand& value = cells[terms_[i]];
    out[i] = value.kind <= Operand::Kind::real ? value.to_real() : 0.0;
  }
}

std::vector<Range> free_ranges(const ConstraintProgram& program) {
  std::vector<Range> ranges(program.steps().size());
  for (StepId id = 0; id < ranges.size(); ++id) {
    const Step& step = program.steps()[id];
    if (step.constant) {
      ranges[id] = Range::of(step.value);
    } else if (step.kind == Step::Kind::parameter) {
      const std::span<const Operand> values = program.values(step.operands[0]);
      if (values.empty()) continue;
      ranges[id] = Range::of(values.front());
      for (const Operand& value : values) ranges[id] = hull(ranges[id], Range::of(value));
    } else {
      ranges[id] = range_of(step, ranges.data(), program.steps().data(), program.more().data());
    }
  }
  return ranges;
}

}  // namespace tuner::search

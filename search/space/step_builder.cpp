#include "search/space/step_builder.hpp"

#include <algorithm>
#include <bit>

namespace tuner::search {
namespace {

using Kind = Step::Kind;

constexpr StepId kNone = static_cast<StepId>(-1);

bool gives_integers(Function function) {
  switch (function) {
    case Function::ceil_div:
    case Function::round_up:
    case Function::is_pow2:
    case Function::next_pow2:
    case Function::floor:
    case Function::ceil:
    case Function::to_integer:
    case Function::to_boolean:
      return true;
    default:
      return false;
  }
}

bool keeps_integers(Function function) {
  return function == Function::min || function == Function::max || function == Function::abs;
}

}  // namespace

StepId StepBuilder::constant(const Operand& value) {
  Step step{.kind = Kind::constant, .constant = true};
  step.value = interned(value);
  step.integral = value.is_whole();
  step.boolean = value.kind == Operand::Kind::boolean;
  step.may_name = value.is_name();
  return keep(step, {});
}

StepId StepBuilder::parameter(std::uint32_t index, std::span<const Operand> values) {
  if (values.size() == 1) return constant(values.front());
  const auto all = [&](auto holds) { return std::all_of(values.begin(), values.end(), holds); };
  Step step{.kind = Kind::parameter, .count = 1};
  step.operands[0] = index;
  step.level = index + 1;
  step.integral = all([](const Operand& value) { return value.is_whole(); });
  step.boolean = all([](const Operand& value) { return value.kind == Operand::Kind::boolean; });
  step.may_name = !all([](const Operand& value) { return !value.is_name(); });
  return keep(step, {});
}

StepId StepBuilder::combine(Kind kind, StepId a, StepId b, Sign sign) {
  const bool commutes = kind == Kind::add || kind == Kind::multiply || kind == Kind::equal || kind == Kind::not_equal;
  if (commutes && b < a) std::swap(a, b);
  Step step{.kind = kind, .sign = sign, .count = 2};
  step.operands = {a, b, 0};
  return make(step);
}

StepId StepBuilder::make(Step step, std::span<const StepId> more) {
  StepId result = kNone;
  if (decided_by_first(step, result)) return result;
  bool constants = true;
  for (std::uint32_t i = 0; i < step.count; ++i) constants &= steps_[step.operands[i]].constant;
  for (const StepId each : more) constants &= steps_[each].constant;
  if (constants) return constant(computed(step, more));
  classify(step, more);
  return keep(step, more);
}

/// Whether a constant first operand of `and`, `or` or a conditional leaves only one of the others, or decides.
bool StepBuilder::decided_by_first(const Step& step, StepId& result) const {
  const Step& first = steps_[step.operands[0]];
  if (!first.constant) return false;
  const Truth truth = truth_of(first.value);
  if (truth == Truth::undefined) return false;
  if (step.kind == Kind::choose) {
    result = step.operands[truth == Truth::yes ? 1 : 2];
    return true;
  }
  if (step.kind != Kind::both && step.kind != Kind::either) return false;
  const bool goes_on = (truth == Truth::yes) == (step.kind == Kind::both);
  result = step.operands[goes_on ? 1 : 0];
  return steps_[result].boolean;
}

Operand StepBuilder::computed(const Step& step, std::span<const StepId> more) const {
  std::vector<Operand> cells;
  Step moved = step;
  for (std::uint32_t i = 0; i < step.count; ++i) {
    cells.push_back(steps_[step.operands[i]].value);
    moved.operands[i] = i;
  }
  std::vector<StepId> places;
  for (const StepId each : more) {
    places.push_back(static_cast<StepId>(cells.size()));
    cells.push_back(steps_[each].value);
  }
  moved.more_first = 0;
  moved.more_count = static_cast<std::uint32_t>(places.size());
  return evaluate(moved, cells.data(), places.data());
}

void StepBuilder::classify(Step& step, std::span<const StepId> more) const {
  bool integral = true;
  bool may_name = false;
  const auto take = [&](StepId id) {
    const Step& operand = steps_[id];
    step.level = std::max(step.level, operand.level);
    integral &= operand.integral;
    may_name |= operand.may_name;
  };
  for (std::uint32_t i = 0; i < step.count; ++i) take(step.operands[i]);
  for (const StepId each : more) take(each);
  const auto operand = [&](std::size_t i) -> const Step& { return steps_[step.operands[i]]; };
  switch (step.kind) {
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
    case Kind::floor_divide:
    case Kind::modulo:
      step.integral = integral;
      break;
    case Kind::divide:
      break;
    case Kind::arithmetic:
      step.integral = step.sign != Sign::power;
      break;
    case Kind::choose:
      step.integral = operand(1).integral && operand(2).integral;
      step.boolean = operand(1).boolean && operand(2).boolean;
      step.may_name = operand(1).may_name || operand(2).may_name;
      break;
    case Kind::unary:
      step.boolean = step.sign == Sign::bang || step.sign == Sign::logical_not;
      step.integral = integral || step.boolean || step.sign == Sign::bit_not;
      break;
    case Kind::call:
      step.boolean = step.function == Function::is_pow2 || step.function == Function::to_boolean;
      step.integral = gives_integers(step.function) || (integral && keeps_integers(step.function));
      break;
    case Kind::size_of:
      step.integral = true;
      break;
    default:
      step.boolean = step.integral = true;
      break;
  }
}

StepId StepBuilder::keep(Step step, std::span<const StepId> more) {
  std::vector<std::uint64_t> key{static_cast<std::uint64_t>(step.kind) << 32 |
                                 static_cast<std::uint64_t>(step.sign) << 16 |
                                 static_cast<std::uint64_t>(step.function)};
  if (step.constant) {
    key.push_back(static_cast<std::uint64_t>(step.value.kind));
    key.push_back(step.value.is_name() ? std::bit_cast<std::uintptr_t>(step.value.name)
                                       : std::bit_cast<std::uint64_t>(step.value.integer));
  } else {
    key.insert(key.end(), step.operands.begin(), step.operands.begin() + step.count);
    key.insert(key.end(), more.begin(), more.end());
  }
  const auto [place, added] = known_.try_emplace(std::move(key), static_cast<StepId>(steps_.size()));
  if (!added) return place->second;
  step.more_first = static_cast<std::uint32_t>(more_.size());
  step.more_count = static_cast<std::uint32_t>(more.size());
  more_.insert(more_.end(), more.begin(), more.end());
  steps_.push_back(step);
  return place->second;
}

/// Names are kept by the program, each once: equal names have equal pointers.
Operand StepBuilder::interned(Operand value) {
  if (!value.is_name()) return value;
  auto place = names_.find(*value.name);
  if (place == names_.end()) {
    const std::string& kept = kept_names_.emplace_back(*value.name);
    place = names_.emplace(kept, &kept).first;
  }
  value.name = place->second;
  return value;
}

}  // namespace tuner::search

#include "search/constraint_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "search/messages.hpp"

namespace tuner::search {
namespace {

using Kind = Step::Kind;

constexpr StepId kNone = static_cast<StepId>(-1);

Kind arithmetic_kind(Sign sign) {
  switch (sign) {
    case Sign::add:
      return Kind::add;
    case Sign::subtract:
      return Kind::subtract;
    case Sign::multiply:
      return Kind::multiply;
    case Sign::divide:
      return Kind::divide;
    case Sign::floor_divide:
      return Kind::floor_divide;
    case Sign::modulo:
      return Kind::modulo;
    default:
      return Kind::arithmetic;
  }
}

Kind comparison_kind(Sign sign) {
  switch (sign) {
    case Sign::less:
      return Kind::less;
    case Sign::less_equal:
      return Kind::less_equal;
    case Sign::greater:
      return Kind::greater;
    case Sign::greater_equal:
      return Kind::greater_equal;
    case Sign::equal:
      return Kind::equal;
    default:
      return Kind::not_equal;
  }
}

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

ConstraintCompiler::ConstraintCompiler(ConstraintProgram& program, std::span<const Parameter> parameters,
                                       const Scope& constants)
    : program_(program), binding_(parameters, constants) {
  for (const Parameter& each : parameters) {
    std::vector<Operand>& values = program_.values_.emplace_back();
    for (const Value& value : each.values) values.push_back(interned(Operand::of(value)));
  }
}

void ConstraintCompiler::add(std::uint32_t index, const Constraint& constraint) {
  const ExpressionTree& tree = constraint.expression.tree();
  Binding::Slots slots;
  try {
    slots = binding_.bind(constraint.expression);
  } catch (const ExpressionError& error) {
    throw ExpressionError(fmt::format("{} It belongs to {}.", error.what(), describe(constraint)), error.offset());
  }
  lets_.resize(binding_.lets().size(), kNone);
  for (const NodeId root : conjuncts(tree, tree.root)) {
    StepId step = compile(tree, root, slots);
    if (constraint.holds_where_undefined) {
      Step lenient{.kind = Kind::lenient, .count = 1};
      lenient.operands[0] = step;
      step = make(lenient);
    }
    program_.conditions_.push_back({index, root, binding_.parameters_used(tree, root, slots), step});
  }
}

// Recurses as deep as an evaluation does, see kMostHeight; binding has checked that.
StepId ConstraintCompiler::compile(const ExpressionTree& tree, NodeId id, const Binding::Slots& slots) {
  const Node& node = tree.nodes[id];
  switch (node.kind) {
    case NodeKind::literal:
      return constant(Operand::of(tree.literals[node.index]));
    case NodeKind::name:
      return compile_name(tree, node.index, slots);
    case NodeKind::size_of: {
      Step step{.kind = Kind::size_of, .count = 1};
      step.operands[0] = compile_name(tree, node.index, slots);
      return make(step);
    }
    case NodeKind::unary: {
      Step step{.kind = Kind::unary, .sign = node.sign, .count = 1};
      step.operands[0] = compile(tree, tree.links[node.first].node, slots);
      return make(step);
    }
    case NodeKind::chain:
      return compile_chain(tree, node, slots);
    case NodeKind::comparison:
      return compile_comparison(tree, node, slots);
    case NodeKind::call:
      return compile_call(tree, node, slots);
    case NodeKind::all:
    case NodeKind::any:
    case NodeKind::conditional:
      return compile_logic(tree, node, slots);
    case NodeKind::list:
      break;
  }
  tree.site(node.offset).fail("a list is not a value");
}

StepId ConstraintCompiler::compile_name(const ExpressionTree&, std::uint32_t index, const Binding::Slots& slots) {
  const Binding::Slot& slot = slots[index];
  if (slot.kind == Binding::Slot::Kind::constant) return constant(slot.constant);
  return slot.kind == Binding::Slot::Kind::parameter ? parameter(slot.index) : compile_let(slot.index);
}

StepId ConstraintCompiler::compile_let(std::uint32_t index) {
  if (lets_[index] == kNone) {
    const Binding::Let& let = binding_.lets()[index];
    lets_[index] = compile(*let.tree, let.tree->root, let.slots);
  }
  return lets_[index];
}

StepId ConstraintCompiler::compile_chain(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots) {
  StepId result = compile(tree, tree.links[node.first].node, slots);
  for (std::uint32_t i = 1; i < node.count; ++i) {
    const Link& link = tree.links[node.first + i];
    result = combine(arithmetic_kind(link.sign), result, compile(tree, link.node, slots), link.sign);
  }
  return result;
}

/// a < b < c is a < b and b < c.
StepId ConstraintCompiler::compile_comparison(const ExpressionTree& tree, const Node& node,
                                              const Binding::Slots& slots) {
  StepId left = compile(tree, tree.links[node.first].node, slots);
  StepId result = kNone;
  for (std::uint32_t i = 1; i < node.count; ++i) {
    const Link& link = tree.links[node.first + i];
    StepId part = kNone;
    if (link.sign == Sign::in || link.sign == Sign::not_in) {
      part = compile_member(tree, left, link, slots);
    } else {
      const StepId right = compile(tree, link.node, slots);
      part = combine(comparison_kind(link.sign), left, right);
      left = right;
    }
    result = result == kNone ? part : combine(Kind::both, result, part);
  }
  return result;
}

/// Joined from left to right, so that a part is decided as soon as its own parameters are set.
StepId ConstraintCompiler::compile_logic(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots) {
  StepId result = compile(tree, tree.links[node.first].node, slots);
  if (node.kind == NodeKind::conditional) {
    Step step{.kind = Kind::choose, .count = 3};
    step.operands[0] = result;
    step.operands[1] = compile(tree, tree.links[node.first + 1].node, slots);
    step.operands[2] = compile(tree, tree.links[node.first + 2].node, slots);
    return make(step);
  }
  const Kind kind = node.kind == NodeKind::all ? Kind::both : Kind::either;
  for (std::uint32_t i = 1; i < node.count; ++i) {
    result = combine(kind, result, compile(tree, tree.links[node.first + i].node, slots));
  }
  return result;
}

StepId ConstraintCompiler::compile_call(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots) {
  Step step{.kind = Kind::call, .function = node.function, .count = 1};
  step.operands[0] = compile(tree, tree.links[node.first].node, slots);
  if (node.count == 1) return make(step);
  step.count = 2;
  for (std::uint32_t i = 1; i < node.count; ++i) {
    step.operands[1] = compile(tree, tree.links[node.first + i].node, slots);
    step.operands[0] = make(step);
  }
  return step.operands[0];
}

StepId ConstraintCompiler::compile_member(const ExpressionTree& tree, StepId wanted, const Link& list,
                                          const Binding::Slots& slots) {
  std::vector<StepId> members;
  const Node& node = tree.nodes[list.node];
  for (std::uint32_t i = 0; i < node.count; ++i) {
    members.push_back(compile(tree, tree.links[node.first + i].node, slots));
  }
  Step step{.kind = list.sign == Sign::in ? Kind::member : Kind::not_member, .count = 1};
  step.operands[0] = wanted;
  return make(step, members);
}

StepId ConstraintCompiler::constant(const Operand& value) {
  Step step{.kind = Kind::constant, .constant = true};
  step.value = interned(value);
  step.integral = value.is_whole();
  step.boolean = value.kind == Operand::Kind::boolean;
  step.may_name = value.is_name();
  return keep(step, {});
}

StepId ConstraintCompiler::parameter(std::uint32_t index) {
  const std::vector<Operand>& values = program_.values_[index];
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

StepId ConstraintCompiler::combine(Kind kind, StepId a, StepId b, Sign sign) {
  const bool commutes = kind == Kind::add || kind == Kind::multiply || kind == Kind::equal || kind == Kind::not_equal;
  if (commutes && b < a) std::swap(a, b);
  Step step{.kind = kind, .sign = kind == Kind::arithmetic ? sign : Sign::none, .count = 2};
  step.operands = {a, b, 0};
  return make(step);
}

StepId ConstraintCompiler::make(Step step, std::span<const StepId> more) {
  StepId result = kNone;
  if (decided_by_first(step, result)) return result;
  bool constants = true;
  for (std::uint32_t i = 0; i < step.count; ++i) constants &= program_.steps_[step.operands[i]].constant;
  for (const StepId each : more) constants &= program_.steps_[each].constant;
  if (constants) return constant(computed(step, more));
  classify(step, more);
  return keep(step, more);
}

/// Whether a constant first operand of `and`, `or` or a conditional leaves only one of the others, or decides.
bool ConstraintCompiler::decided_by_first(const Step& step, StepId& result) const {
  const Step& first = program_.steps_[step.operands[0]];
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
  return program_.steps_[result].boolean;
}

Operand ConstraintCompiler::computed(const Step& step, std::span<const StepId> more) const {
  std::vector<Operand> cells;
  Step moved = step;
  for (std::uint32_t i = 0; i < step.count; ++i) {
    cells.push_back(program_.steps_[step.operands[i]].value);
    moved.operands[i] = i;
  }
  std::vector<StepId> places;
  for (const StepId each : more) {
    places.push_back(static_cast<StepId>(cells.size()));
    cells.push_back(program_.steps_[each].value);
  }
  moved.more_first = 0;
  moved.more_count = static_cast<std::uint32_t>(places.size());
  return evaluate(moved, cells.data(), places.data());
}

void ConstraintCompiler::classify(Step& step, std::span<const StepId> more) const {
  bool integral = true;
  bool may_name = false;
  const auto take = [&](StepId id) {
    const Step& operand = program_.steps_[id];
    step.level = std::max(step.level, operand.level);
    integral &= operand.integral;
    may_name |= operand.may_name;
  };
  for (std::uint32_t i = 0; i < step.count; ++i) take(step.operands[i]);
  for (const StepId each : more) take(each);
  const auto operand = [&](std::size_t i) -> const Step& { return program_.steps_[step.operands[i]]; };
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

StepId ConstraintCompiler::keep(Step step, std::span<const StepId> more) {
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
  const auto [place, added] = known_.try_emplace(std::move(key), static_cast<StepId>(program_.steps_.size()));
  if (!added) return place->second;
  step.more_first = static_cast<std::uint32_t>(program_.more_.size());
  step.more_count = static_cast<std::uint32_t>(more.size());
  program_.more_.insert(program_.more_.end(), more.begin(), more.end());
  program_.steps_.push_back(step);
  return place->second;
}

/// Names are kept by the program, each once: equal names have equal pointers.
Operand ConstraintCompiler::interned(Operand value) {
  if (!value.is_name()) return value;
  auto place = names_.find(*value.name);
  if (place == names_.end()) {
    const std::string& kept = program_.names_.emplace_back(*value.name);
    place = names_.emplace(kept, &kept).first;
  }
  value.name = place->second;
  return value;
}

}  // namespace tuner::search

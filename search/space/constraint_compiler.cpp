#include "search/space/constraint_compiler.hpp"

#include <fmt/format.h>

#include <utility>

#include "search/expression/messages.hpp"

namespace tuner::search {
namespace {

using Kind = Step::Kind;

constexpr StepId kNoStep = static_cast<StepId>(-1);

/// The signs that are kinds of steps; every other one between two numbers is `arithmetic`.
constexpr std::pair<Sign, Kind> kKinds[] = {
    {Sign::add, Kind::add},       {Sign::subtract, Kind::subtract},         {Sign::multiply, Kind::multiply},
    {Sign::divide, Kind::divide}, {Sign::floor_divide, Kind::floor_divide}, {Sign::modulo, Kind::modulo},
    {Sign::less, Kind::less},     {Sign::less_equal, Kind::less_equal},     {Sign::greater, Kind::greater},
    {Sign::equal, Kind::equal},   {Sign::not_equal, Kind::not_equal},       {Sign::greater_equal, Kind::greater_equal}};

Kind kind_of(Sign sign) {
  for (const auto& [known, kind] : kKinds) {
    if (known == sign) return kind;
  }
  return Kind::arithmetic;
}

}  // namespace

ConstraintCompiler::ConstraintCompiler(std::span<const Parameter> parameters, const Scope& constants)
    : builder_(program_.steps_, program_.more_, program_.names_), binding_(parameters, constants) {
  for (const Parameter& each : parameters) {
    std::vector<Operand>& values = program_.values_.emplace_back();
    for (const Value& value : each.values) values.push_back(builder_.interned(Operand::of(value)));
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
  lets_.resize(binding_.lets().size(), kNoStep);
  for (const NodeId root : conjuncts(tree, tree.root)) {
    StepId step = compile(tree, root, slots);
    if (constraint.holds_where_undefined) {
      Step lenient{.kind = Kind::lenient, .count = 1};
      lenient.operands[0] = step;
      step = builder_.make(lenient);
    }
    program_.conditions_.push_back({index, root, binding_.parameters_used(tree, root, slots), step});
  }
}

// Recurses as deep as an evaluation does, see kMostHeight; binding has checked that.
StepId ConstraintCompiler::compile(const ExpressionTree& tree, NodeId id, const Binding::Slots& slots) {
  const Node& node = tree.nodes[id];
  switch (node.kind) {
    case NodeKind::literal:
      return builder_.constant(Operand::of(tree.literals[node.index]));
    case NodeKind::name:
      return compile_name(tree, node.index, slots);
    case NodeKind::size_of: {
      Step step{.kind = Kind::size_of, .count = 1};
      step.operands[0] = compile_name(tree, node.index, slots);
      return builder_.make(step);
    }
    case NodeKind::unary: {
      Step step{.kind = Kind::unary, .sign = node.sign, .count = 1};
      step.operands[0] = compile(tree, tree.links[node.first].node, slots);
      return builder_.make(step);
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
  if (slot.kind == Binding::Slot::Kind::constant) return builder_.constant(slot.constant);
  return slot.kind == Binding::Slot::Kind::parameter ? builder_.parameter(slot.index, program_.values_[slot.index])
                                                     : compile_let(slot.index);
}

StepId ConstraintCompiler::compile_let(std::uint32_t index) {
  if (lets_[index] == kNoStep) {
    const Binding::Let& let = binding_.lets()[index];
    lets_[index] = compile(*let.tree, let.tree->root, let.slots);
  }
  return lets_[index];
}

StepId ConstraintCompiler::compile_chain(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots) {
  StepId result = compile(tree, tree.links[node.first].node, slots);
  for (std::uint32_t i = 1; i < node.count; ++i) {
    const Link& link = tree.links[node.first + i];
    result = builder_.combine(kind_of(link.sign), result, compile(tree, link.node, slots), link.sign);
  }
  return result;
}

/// a < b < c is a < b and b < c.
StepId ConstraintCompiler::compile_comparison(const ExpressionTree& tree, const Node& node,
                                              const Binding::Slots& slots) {
  StepId left = compile(tree, tree.links[node.first].node, slots);
  StepId result = kNoStep;
  for (std::uint32_t i = 1; i < node.count; ++i) {
    const Link& link = tree.links[node.first + i];
    StepId part = kNoStep;
    if (link.sign == Sign::in || link.sign == Sign::not_in) {
      part = compile_member(tree, left, link, slots);
    } else {
      const StepId right = compile(tree, link.node, slots);
      part = builder_.combine(kind_of(link.sign), left, right, link.sign);
      left = right;
    }
    result = result == kNoStep ? part : builder_.combine(Kind::both, result, part);
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
    return builder_.make(step);
  }
  const Kind kind = node.kind == NodeKind::all ? Kind::both : Kind::either;
  for (std::uint32_t i = 1; i < node.count; ++i) {
    result = builder_.combine(kind, result, compile(tree, tree.links[node.first + i].node, slots));
  }
  return result;
}

StepId ConstraintCompiler::compile_call(const ExpressionTree& tree, const Node& node, const Binding::Slots& slots) {
  Step step{.kind = Kind::call, .function = node.function, .count = 1};
  step.operands[0] = compile(tree, tree.links[node.first].node, slots);
  if (node.count == 1) return builder_.make(step);
  step.count = 2;
  for (std::uint32_t i = 1; i < node.count; ++i) {
    step.operands[1] = compile(tree, tree.links[node.first + i].node, slots);
    step.operands[0] = builder_.make(step);
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
  return builder_.make(step, members);
}

ConstraintProgram ConstraintCompiler::finish() {
  program_.find_terms();
  return std::move(program_);
}

ConstraintProgram compile_constraints(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                                      const Scope& constants) {
  ConstraintCompiler compiler(parameters, constants);
  for (std::uint32_t i = 0; i < constraints.size(); ++i) compiler.add(i, constraints[i]);
  return compiler.finish();
}

}  // namespace tuner::search

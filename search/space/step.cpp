#include "search/space/step.hpp"

#include <algorithm>
#include <cmath>

#include "search/expression/arithmetic.hpp"
#include "search/expression/expression.hpp"
#include "search/expression/number_arithmetic.hpp"

namespace tuner::search {
namespace {

using Kind = Step::Kind;

Operand finite(double real) {
  return std::isfinite(real) ? Operand::of_real(real) : undefined_operand();
}

bool both_whole(const Operand& a, const Operand& b) {
  return a.is_whole() && b.is_whole();
}

/// What an operation gives if an operand is no number.
Operand no_number(const Operand& a, const Operand& b) {
  const bool settled = a.kind == Operand::Kind::settled || b.kind == Operand::Kind::settled;
  return settled ? settled_operand() : undefined_operand();
}

bool numbers(const Operand& a, const Operand& b) {
  return a.kind <= Operand::Kind::real && b.kind <= Operand::Kind::real;
}

Operand arithmetic(Sign sign, const Operand& a, const Operand& b) {
  if (!numbers(a, b)) return no_number(a, b);
  const bool divides = sign == Sign::floor_divide || sign == Sign::modulo;
  if (divides && b.to_real() == 0) return undefined_operand();
  if (!both_whole(a, b)) return finite(real_arithmetic(sign, a.to_real(), b.to_real()));
  const auto result = whole_arithmetic(sign, a.integer, b.integer);
  return result ? Operand::of_integer(*result) : undefined_operand();
}

Operand quotient(const Operand& a, const Operand& b) {
  if (!numbers(a, b)) return no_number(a, b);
  return b.to_real() == 0 ? undefined_operand() : finite(real_divide(a, b));
}

Operand ordered(Sign sign, const Operand& a, const Operand& b) {
  if (!numbers(a, b)) return no_number(a, b);
  return Operand::of_boolean(holds(sign, both_whole(a, b) ? a.integer <=> b.integer : compare_numbers(a, b)));
}

bool is_value(const Operand& a) {
  return a.kind < Operand::Kind::undefined;
}

Operand equality(const Operand& a, const Operand& b, bool wanted) {
  if (!is_value(a) || !is_value(b)) return no_number(a, b);
  return Operand::of_boolean(equal(a, b) == wanted);
}

Operand as_boolean(const Operand& a) {
  switch (truth_of(a)) {
    case Truth::no:
      return Operand::of_boolean(false);
    case Truth::yes:
      return Operand::of_boolean(true);
    case Truth::undefined:
      return undefined_operand();
    case Truth::settled:
      break;
  }
  return settled_operand();
}

/// `and` if `goes_on` is yes, `or` if it is no.
Operand joined(const Operand& a, const Operand& b, Truth goes_on) {
  return truth_of(a) == goes_on ? as_boolean(b) : as_boolean(a);
}

Operand member(const Step& step, const Operand* cells, const StepId* more) {
  const Operand& wanted = cells[step.operands[0]];
  bool found = false;
  bool undefined = !is_value(wanted);
  bool settled = wanted.kind == Operand::Kind::settled;
  for (std::uint32_t i = 0; i < step.more_count; ++i) {
    const Operand& each = cells[more[step.more_first + i]];
    settled |= each.kind == Operand::Kind::settled;
    undefined |= !is_value(each);
    found |= !undefined && equal(each, wanted);
  }
  if (settled) return settled_operand();
  if (undefined) return undefined_operand();
  return Operand::of_boolean(found == (step.kind == Kind::member));
}

/// The rest goes through the functions that throw: it is rare, and so is that it fails.
Operand rare(const Step& step, const Operand* cells) {
  std::array<Operand, 2> arguments;
  for (std::uint32_t i = 0; i < step.count; ++i) {
    arguments[i] = cells[step.operands[i]];
    if (!is_value(arguments[i])) return no_number(arguments[0], arguments[i]);
  }
  const ExpressionSite nowhere{"", 0};
  try {
    switch (step.kind) {
      case Kind::arithmetic:
        return apply(step.sign, arguments[0], arguments[1], nowhere);
      case Kind::unary:
        return apply_unary(step.sign, arguments[0], nowhere);
      default:
        return call(step.function, {arguments.data(), step.count}, nowhere);
    }
  } catch (const ExpressionError&) {
    return undefined_operand();
  }
}

Operand called(const Step& step, const Operand* cells) {
  if (step.count == 2 && (step.function == Function::min || step.function == Function::max)) {
    const Operand& a = cells[step.operands[0]];
    const Operand& b = cells[step.operands[1]];
    if (a.kind == Operand::Kind::integer && b.kind == Operand::Kind::integer) {
      return Operand::of_integer(step.function == Function::min ? std::min(a.integer, b.integer)
                                                                : std::max(a.integer, b.integer));
    }
  }
  return rare(step, cells);
}

Operand size_of(const Operand& type) {
  if (type.kind == Operand::Kind::settled) return type;
  const std::size_t size = type.is_name() ? size_of_type(*type.name) : 0;
  return size == 0 ? undefined_operand() : Operand::of_integer(static_cast<std::int64_t>(size));
}

}  // namespace

Operand evaluate(const Step& step, const Operand* cells, const StepId* more) {
  const Operand& a = cells[step.operands[0]];
  const Operand& b = cells[step.operands[1]];
  switch (step.kind) {
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
    case Kind::floor_divide:
    case Kind::modulo:
      return arithmetic(step.sign, a, b);
    case Kind::divide:
      return quotient(a, b);
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal:
      return ordered(step.sign, a, b);
    case Kind::equal:
    case Kind::not_equal:
      return equality(a, b, step.kind == Kind::equal);
    case Kind::both:
      return joined(a, b, Truth::yes);
    case Kind::either:
      return joined(a, b, Truth::no);
    case Kind::choose: {
      const Truth truth = truth_of(a);
      if (truth == Truth::undefined || truth == Truth::settled) return as_boolean(a);
      return truth == Truth::yes ? b : cells[step.operands[2]];
    }
    case Kind::call:
      return called(step, cells);
    case Kind::member:
    case Kind::not_member:
      return member(step, cells, more);
    case Kind::size_of:
      return size_of(a);
    case Kind::lenient:
      return truth_of(a) == Truth::undefined ? Operand::of_boolean(true) : as_boolean(a);
    case Kind::arithmetic:
    case Kind::unary:
      break;
    case Kind::constant:
    case Kind::parameter:
      return a;
  }
  return rare(step, cells);
}

}  // namespace tuner::search

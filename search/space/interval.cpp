#include "search/space/interval.hpp"

#include <algorithm>
#include <cmath>

namespace tuner::search {
namespace {

using Kind = Step::Kind;

// Integers of this size and their quotients are told apart by reals, and their products with each other do not go
// unnoticed: far below where 64-bit integers overflow.
constexpr double kLargest = 1125899906842624.0;  // 2^50

constexpr Range kUnknownTruth{Range::Kind::number, 0, 1};

Range truth(bool yes) {
  return Range::of(yes ? 1 : 0, yes ? 1 : 0);
}

bool spans_zero(const Range& a) {
  return a.low <= 0 && a.high >= 0;
}

/// Of an operation that is monotone in each operand: its extremes are at the corners.
template <typename Operation>
Range corners(const Range& a, const Range& b, Operation operation) {
  const double corner[] = {operation(a.low, b.low), operation(a.low, b.high), operation(a.high, b.low),
                           operation(a.high, b.high)};
  return Range::of(std::min({corner[0], corner[1], corner[2], corner[3]}),
                   std::max({corner[0], corner[1], corner[2], corner[3]}));
}

Range multiplied(const Range& a, const Range& b) {
  if (a.low >= 0 && b.low >= 0) return Range::of(a.low * b.low, a.high * b.high);
  return corners(a, b, [](double x, double y) { return x * y; });
}

Range divided(const Step& step, const Range& a, const Range& b, bool whole) {
  if (spans_zero(b)) return Range::open();
  if (step.kind == Kind::divide) return corners(a, b, [](double x, double y) { return x / y; });
  if (step.kind == Kind::floor_divide) {
    if (!whole) return Range::open();
    return corners(a, b, [](double x, double y) { return std::floor(x / y); });
  }
  if (b.low < 0) return Range::of(b.low, 0);
  return Range::of(0, a.low >= 0 ? std::min(a.high, b.high) : b.high);
}

Range arithmetic(const Step& step, const Range& a, const Range& b, bool whole) {
  if (!a.is_number() || !b.is_number()) return Range::open();
  switch (step.kind) {
    case Kind::add:
      return Range::of(a.low + b.low, a.high + b.high);
    case Kind::subtract:
      return Range::of(a.low - b.high, a.high - b.low);
    case Kind::multiply:
      return multiplied(a, b);
    default:
      return divided(step, a, b, whole);
  }
}

Range ordered(Kind kind, const Range& a, const Range& b) {
  if (!a.is_number() || !b.is_number()) return Range::open();
  switch (kind) {
    case Kind::less:
      return a.high < b.low ? truth(true) : a.low >= b.high ? truth(false) : kUnknownTruth;
    case Kind::less_equal:
      return a.high <= b.low ? truth(true) : a.low > b.high ? truth(false) : kUnknownTruth;
    case Kind::greater:
      return ordered(Kind::less, b, a);
    default:
      return ordered(Kind::less_equal, b, a);
  }
}

Range equality(const Range& a, const Range& b, bool wanted) {
  if (a.kind == Range::Kind::open || b.kind == Range::Kind::open) return Range::open();
  if (!a.is_number() || !b.is_number()) return kUnknownTruth;
  if (a.high < b.low || b.high < a.low) return truth(!wanted);
  return a.low == a.high && b.low == b.high ? truth(wanted) : kUnknownTruth;
}

Range as_truth(const Range& a) {
  if (!a.is_number()) return Range::open();
  return a.is_true() ? truth(true) : a.is_false() ? truth(false) : kUnknownTruth;
}

/// `and`, which ends at what is false, or `or`, which ends at what is true.
Range joined(const Range& a, const Range& b, bool end) {
  if (!a.is_number()) return Range::open();
  if (end ? a.is_true() : a.is_false()) return truth(end);
  if (end ? a.is_false() : a.is_true()) return as_truth(b);
  if (!b.is_number()) return Range::open();
  return (end ? b.is_true() : b.is_false()) ? truth(end) : kUnknownTruth;
}

Range chosen(const Range& condition, const Range& yes, const Range& no) {
  if (condition.is_true()) return yes;
  if (condition.is_false()) return no;
  return condition.is_number() ? hull(yes, no) : Range::open();
}

Range negated(const Step& step, const Range& a, bool whole) {
  if (!a.is_number()) return Range::open();
  switch (step.sign) {
    case Sign::subtract:
      return Range::of(-a.high, -a.low);
    case Sign::add:
      return a;
    case Sign::bit_not:
      return whole ? Range::of(-a.high - 1, -a.low - 1) : Range::open();
    default:
      return a.is_true() ? truth(false) : a.is_false() ? truth(true) : kUnknownTruth;
  }
}

Range called(const Step& step, const Range& a, const Range& b, bool whole) {
  if (!a.is_number() || (step.count == 2 && !b.is_number())) return Range::open();
  switch (step.function) {
    case Function::min:
      return step.count == 1 ? a : Range::of(std::min(a.low, b.low), std::min(a.high, b.high));
    case Function::max:
      return step.count == 1 ? a : Range::of(std::max(a.low, b.low), std::max(a.high, b.high));
    case Function::abs:
      if (a.low >= 0) return a;
      return a.high <= 0 ? Range::of(-a.high, -a.low) : Range::of(0, std::max(-a.low, a.high));
    case Function::ceil_div:
      if (!whole || spans_zero(b)) return Range::open();
      return corners(a, b, [](double x, double y) { return std::ceil(x / y); });
    case Function::round_up:
      return whole && a.low >= 0 && b.low > 0 ? Range::of(a.low, a.high + b.high) : Range::open();
    case Function::is_pow2:
      return whole ? kUnknownTruth : Range::open();
    case Function::next_pow2:
      return whole ? Range::of(std::max(1.0, a.low), std::max(1.0, 2 * a.high)) : Range::open();
    case Function::floor:
      return Range::of(std::floor(a.low), std::floor(a.high));
    case Function::ceil:
      return Range::of(std::ceil(a.low), std::ceil(a.high));
    case Function::to_integer:
      return Range::of(std::trunc(a.low), std::trunc(a.high));
    case Function::to_real:
      return a;
    case Function::to_boolean:
      return as_truth(a);
    case Function::log2:
    case Function::sqrt:
      break;
  }
  return Range::open();
}

Range member(const Step& step, const Range* ranges, const StepId* more) {
  const Range& wanted = ranges[step.operands[0]];
  if (wanted.kind == Range::Kind::open) return Range::open();
  bool possible = false;
  for (std::uint32_t i = 0; i < step.more_count; ++i) {
    const Range& each = ranges[more[step.more_first + i]];
    if (each.kind == Range::Kind::open) return Range::open();
    possible |= !equality(each, wanted, true).is_false();
  }
  return possible ? kUnknownTruth : truth(step.kind == Kind::not_member);
}

}  // namespace

Range Range::of(double low, double high) {
  if (!(low >= -kLargest && high <= kLargest)) return open();
  return {Kind::number, low, high};
}

Range Range::of(const Operand& value) {
  if (value.is_name()) return {Kind::value, 0, 0};
  if (value.kind > Operand::Kind::name) return open();
  return of(value.to_real(), value.to_real());
}

Range hull(const Range& a, const Range& b) {
  if (a.kind == Range::Kind::open || b.kind == Range::Kind::open) return Range::open();
  if (!a.is_number() || !b.is_number()) return {Range::Kind::value, 0, 0};
  return Range::of(std::min(a.low, b.low), std::max(a.high, b.high));
}

Range range_of(const Step& step, const Range* ranges, const Step* steps, const StepId* more) {
  const Range& a = ranges[step.operands[0]];
  const Range& b = ranges[step.operands[1]];
  const auto whole = [&] {
    return steps[step.operands[0]].integral && (step.count < 2 || steps[step.operands[1]].integral);
  };
  switch (step.kind) {
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
    case Kind::divide:
    case Kind::floor_divide:
    case Kind::modulo:
      return arithmetic(step, a, b, whole());
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal:
      return ordered(step.kind, a, b);
    case Kind::equal:
    case Kind::not_equal:
      return equality(a, b, step.kind == Kind::equal);
    case Kind::both:
      return joined(a, b, false);
    case Kind::either:
      return joined(a, b, true);
    case Kind::choose:
      return chosen(a, b, ranges[step.operands[2]]);
    case Kind::unary:
      return negated(step, a, whole());
    case Kind::call:
      return called(step, a, b, whole());
    case Kind::member:
    case Kind::not_member:
      return member(step, ranges, more);
    case Kind::lenient:
      return a.is_number() ? as_truth(a) : kUnknownTruth;
    default:
      return Range::open();
  }
}

}  // namespace tuner::search

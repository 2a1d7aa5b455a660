#include "search/expression/operand.hpp"

#include "search/expression/exact_numbers.hpp"

namespace tuner::search {
namespace {

std::partial_ordering reversed(std::partial_ordering order) {
  if (order == std::partial_ordering::less) return std::partial_ordering::greater;
  if (order == std::partial_ordering::greater) return std::partial_ordering::less;
  return order;
}

}  // namespace

Operand Operand::of(const Value& value) {
  if (value.is_integer()) return of_integer(value.as_integer());
  if (value.is_boolean()) return of_boolean(value.as_boolean());
  if (value.is_real()) return of_real(value.as_real());
  Operand result;
  result.kind = Kind::name;
  result.name = &value.as_name();
  return result;
}

Value Operand::value() const {
  switch (kind) {
    case Kind::integer:
      return Value(integer);
    case Kind::boolean:
      return Value(integer != 0);
    case Kind::real:
      return Value(real);
    case Kind::name:
      return Value(*name);
    case Kind::undefined:
    case Kind::settled:
      break;
  }
  return Value();
}

std::partial_ordering compare_numbers(const Operand& a, const Operand& b) {
  if (a.is_whole() && b.is_whole()) return a.integer <=> b.integer;
  if (a.is_whole()) return compare_exactly(a.integer, b.real);
  if (b.is_whole()) return reversed(compare_exactly(b.integer, a.real));
  return a.real <=> b.real;
}

bool equal(const Operand& a, const Operand& b) {
  if (a.is_name() || b.is_name()) return a.is_name() && b.is_name() && *a.name == *b.name;
  return compare_numbers(a, b) == std::partial_ordering::equivalent;
}

}  // namespace tuner::search

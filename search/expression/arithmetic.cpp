#include "search/expression/arithmetic.hpp"

#include <fmt/format.h>

#include <cmath>

#include "search/expression/exact_numbers.hpp"
#include "search/expression/number_arithmetic.hpp"

namespace tuner::search {
namespace {

[[noreturn]] void overflow(Sign sign, const Operand& a, const Operand& b, const ExpressionSite& site) {
  site.fail(fmt::format("{} {} {} overflows 64-bit integers", a.integer, spelling(sign), b.integer));
}

Operand checked_real(double real, const ExpressionSite& site) {
  if (!std::isfinite(real)) site.fail("the result is not a finite number");
  return Operand::of_real(real);
}

Operand real_power(double base, double exponent, const ExpressionSite& site) {
  if (base == 0 && exponent < 0) site.fail("zero to a negative power divides by zero");
  const double result = std::pow(base, exponent);
  if (std::isnan(result)) site.fail(fmt::format("{} ** {} is not a real number", base, exponent));
  return checked_real(result, site);
}

Operand power(const Operand& a, const Operand& b, const ExpressionSite& site) {
  if (b.integer < 0) return real_power(a.to_real(), b.to_real(), site);
  std::int64_t result = 1;
  std::int64_t square = a.integer;
  for (std::int64_t left = b.integer; left > 0;) {
    if (left % 2 == 1 && __builtin_mul_overflow(result, square, &result)) overflow(Sign::power, a, b, site);
    left /= 2;
    if (left > 0 && __builtin_mul_overflow(square, square, &square)) overflow(Sign::power, a, b, site);
  }
  return Operand::of_integer(result);
}

Operand shift(Sign sign, const Operand& a, const Operand& b, const ExpressionSite& site) {
  const std::int64_t value = whole(a, site);
  const std::int64_t count = whole(b, site);
  if (count < 0) site.fail(fmt::format("cannot shift by {}", count));
  if (sign == Sign::shift_right) return Operand::of_integer(value >> (count < 63 ? count : 63));
  if (value == 0) return Operand::of_integer(0);
  if (count < 64) {
    const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << count);
    if (shifted >> count == value) return Operand::of_integer(shifted);
  }
  overflow(sign, Operand::of_integer(value), Operand::of_integer(count), site);
}

}  // namespace

void require_number(const Operand& a, const ExpressionSite& site) {
  if (a.is_name()) site.fail(fmt::format("`{}` is a name, but a number is needed", a.value().text()));
}

bool truth(const Operand& a, const ExpressionSite& site) {
  if (a.is_whole()) return a.integer != 0;
  if (a.is_name()) {
    site.fail(fmt::format("`{}` is a name, which is neither true nor false; compare it with `==`", a.value().text()));
  }
  return a.real != 0;
}

std::int64_t whole(const Operand& a, const ExpressionSite& site) {
  if (a.is_whole()) return a.integer;
  require_number(a, site);
  if (is_integral(a.real)) return static_cast<std::int64_t>(a.real);
  site.fail(fmt::format(
      "{} is not an integer, but one is needed; `/` is real division, `//` rounds down and ceil_div(a, b) rounds up",
      a.value().text()));
}

Operand negated(const Operand& a, const ExpressionSite& site) {
  require_number(a, site);
  if (a.is_real()) return Operand::of_real(-a.real);
  std::int64_t result = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, a.integer, &result)) {
    site.fail(fmt::format("the negative of {} overflows 64-bit integers", a.integer));
  }
  return Operand::of_integer(result);
}

Operand apply(Sign sign, const Operand& a, const Operand& b, const ExpressionSite& site) {
  require_number(a, site);
  require_number(b, site);
  switch (sign) {
    case Sign::shift_left:
    case Sign::shift_right:
      return shift(sign, a, b, site);
    case Sign::bit_and:
      return Operand::of_integer(whole(a, site) & whole(b, site));
    case Sign::bit_or:
      return Operand::of_integer(whole(a, site) | whole(b, site));
    case Sign::bit_xor:
      return Operand::of_integer(whole(a, site) ^ whole(b, site));
    default:
      break;
  }
  const bool divides = sign == Sign::divide || sign == Sign::floor_divide || sign == Sign::modulo;
  if (divides && b.to_real() == 0) site.fail(fmt::format("`{}` by zero", spelling(sign)));
  if (sign == Sign::divide) return checked_real(real_divide(a, b), site);
  const bool whole_numbers = a.is_whole() && b.is_whole();
  if (sign == Sign::power) return whole_numbers ? power(a, b, site) : real_power(a.to_real(), b.to_real(), site);
  if (!whole_numbers) return checked_real(real_arithmetic(sign, a.to_real(), b.to_real()), site);
  const auto result = whole_arithmetic(sign, a.integer, b.integer);
  if (!result) overflow(sign, a, b, site);
  return Operand::of_integer(*result);
}

bool compare(Sign sign, const Operand& a, const Operand& b, const ExpressionSite& site) {
  if (sign == Sign::equal) return equal(a, b);
  if (sign == Sign::not_equal) return !equal(a, b);
  if (a.is_name() || b.is_name()) {
    site.fail(fmt::format("`{}` is a name and has no order; only `==`, `!=` and `in` apply to it",
                          (a.is_name() ? a : b).value().text()));
  }
  return holds(sign, compare_numbers(a, b));
}

Operand apply_unary(Sign sign, const Operand& a, const ExpressionSite& site) {
  switch (sign) {
    case Sign::subtract:
      return negated(a, site);
    case Sign::add:
      require_number(a, site);
      return a.is_real() ? a : Operand::of_integer(a.integer);
    case Sign::bit_not:
      return Operand::of_integer(~whole(a, site));
    default:
      return Operand::of_boolean(!truth(a, site));
  }
}

}  // namespace tuner::search

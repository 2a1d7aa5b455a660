#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "search/expression/lexer.hpp"
#include "search/expression/operand.hpp"

namespace tuner::search {

// Division and remainder that belong together: a == b * (a // b) + a % b, and a % b has the sign of b. For b other than
// 0, and for integers other than -1: dividing the least integer by -1 overflows, and traps where it is not caught.

inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

inline std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

inline double floor_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

inline double floor_divide(double a, double b) {
  return std::round((a - floor_modulo(a, b)) / b);
}

/// `a sign b` for + - * // and %; nothing if it overflows. `b` is not 0 where it divides.
inline std::optional<std::int64_t> whole_arithmetic(Sign sign, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (sign) {
    case Sign::add:
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case Sign::subtract:
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case Sign::multiply:
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    case Sign::floor_divide:
      if (b != -1) return floor_divide(a, b);
      overflows = __builtin_sub_overflow(std::int64_t{0}, a, &result);
      break;
    default:
      return b == -1 ? 0 : floor_modulo(a, b);
  }
  return overflows ? std::nullopt : std::optional(result);
}

/// The same of reals, which may give what is not finite.
inline double real_arithmetic(Sign sign, double a, double b) {
  switch (sign) {
    case Sign::add:
      return a + b;
    case Sign::subtract:
      return a - b;
    case Sign::multiply:
      return a * b;
    case Sign::floor_divide:
      return floor_divide(a, b);
    default:
      return floor_modulo(a, b);
  }
}

/// Whether `a sign b` for < <= > and >=, of numbers in this order.
inline bool holds(Sign sign, std::partial_ordering order) {
  switch (sign) {
    case Sign::less:
      return order < 0;
    case Sign::less_equal:
      return order <= 0;
    case Sign::greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

/// `a / b`. Whole numbers that divide without rest give the exact quotient; converting both first could round it.
inline double real_divide(const Operand& a, const Operand& b) {
  const bool exact = a.is_whole() && b.is_whole() && b.integer != -1 && a.integer % b.integer == 0;
  return exact ? static_cast<double>(a.integer / b.integer) : a.to_real() / b.to_real();
}

}  // namespace tuner::search

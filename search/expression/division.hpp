#pragma once

#include <cmath>
#include <cstdint>

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

/// `a / b`. Whole numbers that divide without rest give the exact quotient; converting both first could round it.
inline double real_divide(const Operand& a, const Operand& b) {
  const bool exact = a.is_whole() && b.is_whole() && b.integer != -1 && a.integer % b.integer == 0;
  return exact ? static_cast<double>(a.integer / b.integer) : a.to_real() / b.to_real();
}

}  // namespace tuner::search

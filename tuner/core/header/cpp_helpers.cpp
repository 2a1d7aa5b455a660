#include "tuner/core/header/expression_cpp.hpp"

namespace tuner {

std::string_view cpp_helpers() {
  return R"(using Whole = std::int64_t;
inline constexpr Whole kLeast = INT64_MIN, kMost = INT64_MAX;

constexpr bool same_text(const char* a, const char* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

/// Arithmetic on 64-bit integers and reals that notices what has no result.
struct Checked {
  bool ok = true;

  constexpr Whole fail() {
    ok = false;
    return 1;
  }
  constexpr double finite(double a) {
    if (!(a - a == 0)) ok = false;
    return a;
  }

  constexpr Whole add(Whole a, Whole b) { return (b > 0 ? a > kMost - b : a < kLeast - b) ? fail() : a + b; }
  constexpr Whole subtract(Whole a, Whole b) { return (b < 0 ? a > kMost + b : a < kLeast + b) ? fail() : a - b; }
  constexpr Whole multiply(Whole a, Whole b) {
    if (a == 0 || b == 0) return 0;
    if ((a == -1 && b == kLeast) || (b == -1 && a == kLeast)) return fail();
    if (b == -1 || a == -1) return a * b;
    const bool too_great = a > 0 ? (b > 0 ? a > kMost / b : b < kLeast / a) : (b > 0 ? a < kLeast / b : b < kMost / a);
    return too_great ? fail() : a * b;
  }
  constexpr Whole floor_divide(Whole a, Whole b) {
    if (b == 0) return fail();
    if (b == -1) return subtract(0, a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  constexpr Whole modulo(Whole a, Whole b) {
    if (b == 0) return fail();
    if (b == -1) return 0;
    const Whole rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  constexpr Whole ceil_div(Whole a, Whole b) {
    if (b == 0) return fail();
    if (b == -1) return subtract(0, a);
    return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  }
  constexpr Whole round_up(Whole a, Whole b) { return multiply(ceil_div(a, b), b); }
  constexpr Whole power(Whole a, Whole exponent) {
    if (a == 0 || a == 1) return exponent == 0 ? 1 : a;
    if (a == -1) return exponent % 2 == 0 ? 1 : -1;
    Whole result = 1;
    for (; exponent > 0 && ok; --exponent) result = multiply(result, a);
    return result;
  }
  constexpr Whole shift_left(Whole a, Whole count) {
    if (count < 0 || (a != 0 && count > 63)) return fail();
    for (; count > 0 && a != 0 && ok; --count) a = multiply(a, 2);
    return a;
  }
  constexpr Whole shift_right(Whole a, Whole count) {
    if (count < 0) return fail();
    for (; count > 0 && a != 0 && a != -1; --count) a = floor_divide(a, 2);
    return a;
  }
  constexpr Whole abs(Whole a) { return a < 0 ? subtract(0, a) : a; }
  constexpr Whole is_pow2(Whole a) { return a > 0 && (a & (a - 1)) == 0 ? 1 : 0; }
  constexpr Whole next_pow2(Whole a) {
    Whole result = 1;
    while (result < a && ok) result = multiply(result, 2);
    return result;
  }
  constexpr Whole least(Whole a, Whole b) { return b < a ? b : a; }
  constexpr Whole greatest(Whole a, Whole b) { return b > a ? b : a; }

  constexpr double divide(Whole a, Whole b) {
    if (b == 0) return static_cast<double>(fail());
    if (b != -1 && a % b == 0) return static_cast<double>(a / b);
    return static_cast<double>(a) / static_cast<double>(b);
  }
  constexpr double divide(double a, double b) { return b == 0 ? static_cast<double>(fail()) : finite(a / b); }
  constexpr double add(double a, double b) { return finite(a + b); }
  constexpr double subtract(double a, double b) { return finite(a - b); }
  constexpr double multiply(double a, double b) { return finite(a * b); }
  constexpr double abs(double a) { return a < 0 ? -a : a; }
  constexpr double least(double a, double b) { return b < a ? b : a; }
  constexpr double greatest(double a, double b) { return b > a ? b : a; }

  constexpr Whole truncated(double a) {
    return a >= -9223372036854775808.0 && a < 9223372036854775808.0 ? static_cast<Whole>(a) : fail();
  }
  constexpr Whole floor(double a) {
    const Whole whole = truncated(a);
    return ok && static_cast<double>(whole) > a ? whole - 1 : whole;
  }
  constexpr Whole ceil(double a) {
    const Whole whole = truncated(a);
    return ok && static_cast<double>(whole) < a ? whole + 1 : whole;
  }

  /// -1, 0 or 1 as a is less than b, equal, or greater.
  static constexpr int order(Whole a, Whole b) { return a < b ? -1 : a > b ? 1 : 0; }
  static constexpr int order(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }
  static constexpr int order(Whole a, double b) {
    if (b >= 9223372036854775808.0) return -1;
    if (b < -9223372036854775808.0) return 1;
    const Whole whole = static_cast<Whole>(b);
    return a != whole ? order(a, whole) : order(static_cast<double>(whole), b);
  }
  static constexpr int order(double a, Whole b) { return -order(b, a); }
};
)";
}

}  // namespace tuner

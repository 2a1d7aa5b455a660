#include "search/expression/exact_numbers.hpp"

#include <cmath>

namespace tuner::search {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;  // the first real above the 64-bit integers

}  // namespace

bool is_integral(double real) {
  return real >= -kTwoTo63 && real < kTwoTo63 && std::trunc(real) == real;
}

std::partial_ordering compare_exactly(std::int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= kTwoTo63) return std::partial_ordering::less;
  if (b < -kTwoTo63) return std::partial_ordering::greater;
  const double whole = std::trunc(b);
  const auto truncated = static_cast<std::int64_t>(whole);
  if (a != truncated) return a <=> truncated;
  return whole <=> b;
}

}  // namespace tuner::search

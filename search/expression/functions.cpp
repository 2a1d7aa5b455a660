#include "search/expression/functions.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "search/expression/arithmetic.hpp"
#include "search/expression/exact_numbers.hpp"

namespace tuner::search {
namespace {

constexpr std::array<FunctionInfo, 14> kFunctions{{
    {"min", Function::min, 1, kAnyNumber},
    {"max", Function::max, 1, kAnyNumber},
    {"abs", Function::abs, 1, 1},
    {"ceil_div", Function::ceil_div, 2, 2},
    {"round_up", Function::round_up, 2, 2},
    {"is_pow2", Function::is_pow2, 1, 1},
    {"next_pow2", Function::next_pow2, 1, 1},
    {"log2", Function::log2, 1, 1},
    {"sqrt", Function::sqrt, 1, 1},
    {"floor", Function::floor, 1, 1},
    {"ceil", Function::ceil, 1, 1},
    {"int", Function::to_integer, 1, 1},
    {"float", Function::to_real, 1, 1},
    {"bool", Function::to_boolean, 1, 1},
}};

Operand ceil_div(const Operand& a, const Operand& b, const ExpressionSite& site) {
  const std::int64_t dividend = whole(a, site);
  const std::int64_t divisor = whole(b, site);
  if (divisor == 0) site.fail("ceil_div divides by zero");
  if (divisor == -1) return negated(Operand::of_integer(dividend), site);
  const bool rest = dividend % divisor != 0;
  const bool positive = (dividend < 0) == (divisor < 0);
  return Operand::of_integer(dividend / divisor + (rest && positive ? 1 : 0));
}

Operand next_pow2(const Operand& a, const ExpressionSite& site) {
  const std::int64_t integer = whole(a, site);
  if (integer <= 1) return Operand::of_integer(1);
  if (integer > std::int64_t{1} << 62) site.fail("the next power of two does not fit in 64 bits");
  return Operand::of_integer(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(integer))));
}

Operand rounded(double real, const ExpressionSite& site) {
  if (!is_integral(real)) site.fail(fmt::format("{} does not fit in a 64-bit integer", real));
  return Operand::of_integer(static_cast<std::int64_t>(real));
}

}  // namespace

const FunctionInfo* find_function(std::string_view name) {
  for (const FunctionInfo& info : kFunctions) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> result;
  for (const FunctionInfo& info : kFunctions) result.emplace_back(info.name);
  result.emplace_back("sizeof");
  return result;
}

Operand call(Function function, std::span<const Operand> arguments, const ExpressionSite& site) {
  const Operand a = arguments[0];
  require_number(a, site);
  switch (function) {
    case Function::min:
    case Function::max: {
      if (arguments.size() == 1) return a;
      const Operand b = arguments[1];
      require_number(b, site);
      const std::partial_ordering order = compare_numbers(b, a);
      const bool take_b =
          function == Function::min ? order == std::partial_ordering::less : order == std::partial_ordering::greater;
      return take_b ? b : a;
    }
    case Function::abs:
      if (a.is_real()) return Operand::of_real(std::fabs(a.real));
      return a.integer < 0 ? negated(a, site) : Operand::of_integer(a.integer);
    case Function::ceil_div:
      return ceil_div(a, arguments[1], site);
    case Function::round_up:
      return apply(Sign::multiply, ceil_div(a, arguments[1], site), Operand::of_integer(whole(arguments[1], site)),
                   site);
    case Function::is_pow2: {
      const std::int64_t integer = whole(a, site);
      return Operand::of_boolean(integer > 0 && std::has_single_bit(static_cast<std::uint64_t>(integer)));
    }
    case Function::next_pow2:
      return next_pow2(a, site);
    case Function::log2:
      if (!(a.to_real() > 0)) site.fail(fmt::format("log2 needs a number above zero, not {}", a.value().text()));
      return Operand::of_real(std::log2(a.to_real()));
    case Function::sqrt:
      if (!(a.to_real() >= 0))
        site.fail(fmt::format("sqrt needs a number that is not negative, not {}", a.value().text()));
      return Operand::of_real(std::sqrt(a.to_real()));
    case Function::floor:
      return a.is_whole() ? Operand::of_integer(a.integer) : rounded(std::floor(a.real), site);
    case Function::ceil:
      return a.is_whole() ? Operand::of_integer(a.integer) : rounded(std::ceil(a.real), site);
    case Function::to_integer:
      return a.is_whole() ? Operand::of_integer(a.integer) : rounded(std::trunc(a.real), site);
    case Function::to_real:
      return Operand::of_real(a.to_real());
    case Function::to_boolean:
      return Operand::of_boolean(truth(a, site));
  }
  return a;
}

}  // namespace tuner::search

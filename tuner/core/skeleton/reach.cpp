#include "tuner/core/skeleton/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tuner {
namespace {

constexpr std::int64_t kMostTimes = std::int64_t{1} << 20;
constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostSizes = 4;

bool is_part(const Times& times) {
  return times.numerator < times.denominator;
}

Times whole_unless_bound(const Times& times) {
  return is_part(times) && !times.is_bound ? Times() : times;
}

bool is_less(const Times& left, const Times& right) {
  const Times a = whole_unless_bound(left), b = whole_unless_bound(right);
  return a.numerator * b.denominator < b.numerator * a.denominator;
}

Times times_both(const Times& left, const Times& right) {
  if (left.is_extent || right.is_extent) return {1, 1, true, false};
  Times result{left.numerator * right.numerator, left.denominator * right.denominator, false,
               left.is_bound || right.is_bound};
  const std::int64_t common = std::gcd(result.numerator, result.denominator);
  result.numerator /= common;
  result.denominator /= common;
  return std::max(result.numerator, result.denominator) > kMostTimes ? Times() : result;
}

Reach divided(Reach dividend, const Times& by) {
  if (by.denominator < 1 || by.denominator > kMostTimes) return dividend;
  for (auto& [sizes, times] : dividend) times = times_both(times, by);
  return dividend;
}

std::string written(const std::vector<std::string>& sizes, const Times& reached) {
  const Times times = whole_unless_bound(reached);
  const std::string factor = times.numerator == 1 ? "" : fmt::format("{} * ", times.numerator);
  const std::string product = fmt::format("{}{}", factor, fmt::join(sizes, " * "));
  return times.denominator == 1 ? product : fmt::format("ceil_div({}, {})", product, times.denominator);
}

}  // namespace

Reach reach_of_number(std::int64_t number) {
  return {{std::vector<std::string>(), Times{number < 1 || number > kMostTimes ? 1 : number, 1, false, false}}};
}

Reach reach_of_size(const std::string& size) {
  return {{std::vector{size}, Times()}};
}

Reach reach_of_extent(const std::string& size) {
  return {{std::vector{size}, Times{1, 1, true, false}}};
}

void merge(Reach& into, const Reach& other) {
  for (const auto& [sizes, times] : other) {
    const auto found = into.find(sizes);
    if (found != into.end() && is_less(found->second, times)) found->second = times;
    if (found == into.end() && into.size() < kMostTerms) into.emplace(sizes, times);
  }
}

Reach sum(Reach left, const Reach& right) {
  for (const auto& [sizes, times] : right) {
    const auto found = left.find(sizes);
    const bool are_parts = found != left.end() && is_part(found->second) && is_part(times);
    merge(left, {{sizes, are_parts ? Times() : times}});
  }
  return left;
}

Reach product(const Reach& left, const Reach& right) {
  Reach result;
  for (const auto& [a, times_a] : left) {
    for (const auto& [b, times_b] : right) {
      std::vector<std::string> sizes = a;
      sizes.insert(sizes.end(), b.begin(), b.end());
      std::sort(sizes.begin(), sizes.end());
      if (sizes.size() <= kMostSizes) merge(result, {{std::move(sizes), times_both(times_a, times_b)}});
    }
  }
  return result.empty() ? reach_of_number(1) : result;
}

Reach quotient(Reach dividend, std::int64_t divisor) {
  return divided(std::move(dividend), {1, divisor, false, false});
}

Reach bounded(Reach end, std::int64_t times) {
  return times == 1 ? end : divided(std::move(end), {1, times, false, true});
}

std::string length_of(const Reach& reach) {
  std::size_t degree = 0;
  for (const auto& [sizes, times] : reach) degree = std::max(degree, sizes.size());
  if (degree == 0) return {};
  const auto is_mixed = [&](const std::vector<std::string>& sizes) {
    return sizes.size() == degree && std::adjacent_find(sizes.begin(), sizes.end()) == sizes.end();
  };
  // Where an index is compared with several sizes, `rows * columns` is meant rather than `rows * rows`.
  const bool any_mixed =
      std::any_of(reach.begin(), reach.end(), [&](const auto& term) { return is_mixed(term.first); });
  std::string text;
  for (const auto& [sizes, times] : reach) {
    if (any_mixed ? is_mixed(sizes) : sizes.size() == degree)
      text += (text.empty() ? "" : " + ") + written(sizes, times);
  }
  return text;
}

}  // namespace tuner

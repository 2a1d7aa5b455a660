#include "search/strategy/features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tuner::search {
namespace {

constexpr std::size_t kMostPairs = 128;
constexpr std::size_t kMostTerms = 48;  // Space::terms

bool all_numbers(const Parameter& parameter) {
  return std::all_of(parameter.values.begin(), parameter.values.end(),
                     [](const Value& value) { return value.is_number(); });
}

/// Of products, so that equal ones are equal; what is not above zero comes below, in order.
float logarithm(double x) {
  return static_cast<float>(x > 0 ? std::log2(x) : -1 - std::log2(1 - x));
}

/// Nearly the logarithm, of any number.
float compressed(double x) {
  return static_cast<float>(std::copysign(std::log2(1 + std::abs(x)), x));
}

/// How often 2 divides a whole number; 0 for others and for zero.
float twos(double x) {
  if (x == 0 || x != std::floor(x) || std::abs(x) > 0x1p53) return 0;
  return static_cast<float>(std::countr_zero(static_cast<std::uint64_t>(std::abs(x))));
}

bool is_power_of_two(double x) {
  return x > 0 && std::exp2(std::floor(std::log2(x))) == x;
}

}  // namespace

Features::Features(const Space& space) : space_(space) {
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    if (space.parameters()[i].values.size() < 2) continue;
    add_ranks(i);
    add_twos(i);
  }
  if (space.terms() == 0) add_pairs();
  size_ = columns_.size() + space.terms() + 2 * pairs_.size();
}

void Features::add_ranks(std::size_t parameter) {
  const Parameter& given = space_.parameters()[parameter];
  Column column{parameter, {}};
  if (all_numbers(given)) {
    std::vector<double> sorted;
    for (const Value& value : given.values) sorted.push_back(value.as_real());
    std::sort(sorted.begin(), sorted.end());
    for (const Value& value : given.values) {
      const auto rank = std::lower_bound(sorted.begin(), sorted.end(), value.as_real()) - sorted.begin();
      column.by_position.push_back(static_cast<float>(rank));
    }
  } else {
    for (std::size_t i = 0; i < given.values.size(); ++i) column.by_position.push_back(static_cast<float>(i));
  }
  columns_.push_back(std::move(column));
}

void Features::add_twos(std::size_t parameter) {
  const Parameter& given = space_.parameters()[parameter];
  if (given.values.size() < 3 || !all_numbers(given)) return;
  const bool powers = std::all_of(given.values.begin(), given.values.end(),
                                  [](const Value& value) { return is_power_of_two(value.as_real()); });
  if (powers) return;
  Column column{parameter, {}};
  for (const Value& value : given.values) column.by_position.push_back(twos(value.as_real()));
  const auto [least, most] = std::minmax_element(column.by_position.begin(), column.by_position.end());
  if (*least < *most) columns_.push_back(std::move(column));
}

void Features::add_pairs() {
  for (std::size_t i = 0; i < space_.parameters().size(); ++i) {
    const Parameter& given = space_.parameters()[i];
    if (given.values.size() < 2 || !all_numbers(given)) continue;
    Column column{i, {}};
    for (const Value& value : given.values) column.by_position.push_back(logarithm(value.as_real()));
    logarithms_.push_back(std::move(column));
  }
  for (std::uint32_t b = 1; b < logarithms_.size(); ++b) {
    for (std::uint32_t a = 0; a < b && pairs_.size() < kMostPairs; ++a) pairs_.emplace_back(a, b);
  }
}

void Features::write(const Configuration& configuration, std::span<float> row) const {
  const auto of = [&](const Column& column) { return column.by_position[configuration.choice[column.parameter]]; };
  auto out = row.begin();
  for (const Column& column : columns_) *out++ = of(column);
  std::array<double, kMostTerms> most{};
  const auto terms = std::span(most).first(space_.terms());
  space_.terms(configuration, terms);
  for (const double term : terms) *out++ = compressed(term);
  for (const auto& [a, b] : pairs_) {
    *out++ = of(logarithms_[a]) + of(logarithms_[b]);
    *out++ = of(logarithms_[a]) - of(logarithms_[b]);
  }
}

}  // namespace tuner::search

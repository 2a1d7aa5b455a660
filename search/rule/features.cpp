#include "search/rule/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "search/expression/quoting.hpp"
#include "tuner/error.hpp"

namespace tuner::search {
namespace {

/// By problem, its place among the values in ascending order: equal numbers have equal places.
std::vector<std::size_t> places(const std::vector<double>& values) {
  const std::set<double> sorted(values.begin(), values.end());
  std::vector<std::size_t> result;
  for (const double value : values) {
    result.push_back(static_cast<std::size_t>(std::distance(sorted.begin(), sorted.find(value))));
  }
  return result;
}

class Candidates {
 public:
  explicit Candidates(std::span<const PropertyValues> problems) : problems_(problems) {}

  void add(const std::string& text, bool is_divisibility = false) {
    if (auto feature = useful(text, is_divisibility)) features_.push_back(*std::move(feature));
  }

  /// Powers of two that tell the same problems apart: the middle one, because nothing says which it is.
  void add_divisibility(const std::string& name) {
    std::vector<std::size_t> before;
    std::vector<std::string> alike;
    const auto add_middle = [&] {
      if (!alike.empty()) add(alike[alike.size() / 2], true);
      alike.clear();
    };
    for (int divisor = 2; divisor <= 128; divisor *= 2) {
      const std::string text = fmt::format("{} % {}", name, divisor);
      const std::vector<std::size_t> now = order(text, true);
      if (now != before) add_middle();
      alike.push_back(text);
      before = now;
    }
    add_middle();
  }

  std::vector<Feature> take() { return std::move(features_); }

 private:
  /// Empty if the expression cannot be evaluated everywhere.
  std::vector<std::size_t> order(const std::string& text, bool is_divisibility) const {
    const Expression expression = Expression::parse(text);
    std::vector<double> values;
    for (const PropertyValues& problem : problems_) {
      const auto value = feature_value(expression, problem);
      if (!value) return {};
      values.push_back(is_divisibility && *value != 0 ? 1 : *value);
    }
    return places(values);
  }

  std::optional<Feature> useful(const std::string& text, bool is_divisibility) {
    std::vector<std::size_t> ascending = order(text, is_divisibility);
    if (ascending.empty()) return std::nullopt;
    const std::size_t last = *std::max_element(ascending.begin(), ascending.end());
    if (last == 0) return std::nullopt;
    // Of 500, 1000, ... 64000 the greater half is divisible by 64: that is a matter of size.
    if (is_divisibility &&
        std::any_of(plain_.begin(), plain_.end(), [&](const auto& plain) { return is_threshold(ascending, plain); })) {
      return std::nullopt;
    }
    std::vector<std::size_t> descending = ascending;
    for (std::size_t& place : descending) place = last - place;
    if (!is_divisibility) plain_.push_back(ascending);
    if (seen_.contains(descending) || !seen_.insert(std::move(ascending)).second) return std::nullopt;
    return Feature{Expression::parse(text), is_divisibility};
  }

  /// Whether `halves`, places 0 and 1, are those below and above some value of the plain feature.
  static bool is_threshold(const std::vector<std::size_t>& halves, const std::vector<std::size_t>& plain) {
    std::size_t most[2] = {0, 0}, least[2] = {plain.size(), plain.size()};
    for (std::size_t i = 0; i < plain.size(); ++i) {
      most[halves[i]] = std::max(most[halves[i]], plain[i]);
      least[halves[i]] = std::min(least[halves[i]], plain[i]);
    }
    return most[0] < least[1] || most[1] < least[0];
  }

  std::span<const PropertyValues> problems_;
  std::vector<std::vector<std::size_t>> plain_;  ///< orders of what is no divisibility
  std::set<std::vector<std::size_t>> seen_;
  std::vector<Feature> features_;
};

}  // namespace

std::optional<double> feature_value(const Expression& expression, const PropertyValues& problem) {
  Scope scope;
  for (const auto& [name, value] : problem) scope.set(name, value);
  try {
    return expression.evaluate(scope).as_real();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<Feature> candidate_features(std::span<const PropertyValues> problems,
                                        std::span<const std::string> further) {
  Candidates candidates(problems);
  if (problems.empty()) return {};
  std::vector<std::string> numbers;
  std::set<std::string> questions;
  for (const auto& [name, value] : problems.front()) {
    if (value.is_number()) numbers.push_back(name);
  }
  for (const PropertyValues& problem : problems) {
    for (const auto& [name, value] : problem) {
      if (value.is_name()) questions.insert(fmt::format("{} == {}", name, quote(value.as_name())));
    }
  }
  for (const std::string& name : numbers) candidates.add(name);
  for (const std::string& question : questions) candidates.add(question);
  for (const std::string& text : further) candidates.add(text);
  if (!numbers.empty()) candidates.add(fmt::format("{}", fmt::join(numbers, " * ")));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = i + 1; j < numbers.size(); ++j) {
      candidates.add(fmt::format("{} / {}", numbers[i], numbers[j]));
      if (numbers.size() > 2) candidates.add(fmt::format("{} * {}", numbers[i], numbers[j]));
    }
  }
  for (const std::string& name : numbers) candidates.add_divisibility(name);
  return candidates.take();
}

}  // namespace tuner::search

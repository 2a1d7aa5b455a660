#include "search/rule/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tuner::search {
namespace {

constexpr std::size_t kNear = 6;
constexpr int kAttempts = 200;  ///< where sizes are few, most draws are tuned problems
/// What is divisible by 128 is as good as divisible by more.
constexpr int kMostDivisible = 7;

bool is_positive(const Value& value) {
  return value.is_number() && !value.is_boolean() && value.as_real() > 0;
}

/// Octaves, and four for what can only be the same or different.
double apart(const PropertyValues& a, const PropertyValues& b) {
  double sum = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end()) continue;
    if (is_positive(value) && is_positive(other->second)) {
      sum += std::abs(std::log2(value.as_real() / other->second.as_real()));
    } else if (!(value == other->second)) {
      sum += 4;
    }
  }
  return sum;
}

}  // namespace

Sampler::Sampler(const Lesson& lesson, std::vector<std::size_t> points) : lesson_(lesson), points_(std::move(points)) {
  for (const std::size_t point : points_) {
    for (const auto& [name, value] : lesson.problems[point]) {
      const auto first = lesson.problems[points_.front()].find(name);
      if (first == lesson.problems[points_.front()].end() || !(first->second == value)) varying_.insert(name);
    }
    std::vector<std::pair<double, std::size_t>> others;
    for (const std::size_t other : points_) {
      if (other != point) others.emplace_back(apart(lesson.problems[point], lesson.problems[other]), other);
    }
    std::sort(others.begin(), others.end());
    if (others.size() > kNear) others.resize(kNear);
    near_.emplace_back();
    for (const auto& [distance, other] : others) near_.back().push_back(other);
  }
}

std::optional<Sampler::Sample> Sampler::next() {
  if (points_.size() < 2) return std::nullopt;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::size_t place = prng_.below(points_.size());
    const std::size_t other =
        prng_.below(2) == 0 ? points_[prng_.below(points_.size())] : near_[place][prng_.below(near_[place].size())];
    PropertyValues problem = between(lesson_.problems[points_[place]], lesson_.problems[other]);
    const auto is_it = [&](std::size_t point) { return lesson_.problems[point] == problem; };
    if (std::any_of(points_.begin(), points_.end(), is_it)) continue;
    LessonPoint point;
    point.weight = lesson_.points[points_[place]].weight;
    for (const Feature& feature : lesson_.features) {
      const std::optional<double> value = feature_value(feature.expression, problem);
      if (!value) break;
      point.values.push_back(*value);
    }
    if (point.values.size() == lesson_.features.size()) return Sample{std::move(problem), std::move(point)};
  }
  return std::nullopt;
}

PropertyValues Sampler::between(const PropertyValues& a, const PropertyValues& b) {
  PropertyValues problem;
  for (const auto& [name, value] : a) {
    const double share = prng_.unit();
    const auto other = b.find(name);
    problem[name] = varying_.contains(name) && other != b.end() ? between(value, other->second, share) : value;
  }
  return problem;
}

/// Half the time one of the two. Else a size, or a real above zero: evenly over the logarithm, and up to half an octave
/// off, each property by itself.
Value Sampler::between(const Value& a, const Value& b, double share) {
  const bool like_a = prng_.below(2) == 0;
  if (!is_positive(a) || !is_positive(b) || prng_.below(2) == 0) return like_a ? a : b;
  const double jitter = prng_.unit() - 0.5;
  const double drawn = std::exp2(std::log2(a.as_real()) * (1 - share) + std::log2(b.as_real()) * share + jitter);
  if (!a.is_integer() || !b.is_integer()) return drawn;
  const auto model = static_cast<std::uint64_t>((like_a ? a : b).as_integer());
  const double step = std::exp2(std::min(std::countr_zero(model), kMostDivisible));
  const double rounded = std::max(std::round(drawn / step), 1.0) * step;
  return rounded < 0x1p62 ? Value(static_cast<std::int64_t>(rounded)) : a;
}

}  // namespace tuner::search

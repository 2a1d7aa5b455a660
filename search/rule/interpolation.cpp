#include "search/rule/interpolation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace tuner::search {
namespace {

using Matrix = std::vector<std::vector<double>>;

struct Inverse {
  Matrix matrix;
  double log_determinant = 0;  ///< of what was inverted
};

/// Gauss-Jordan, without pivots: `matrix` is symmetric and positive definite.
Inverse inverted(Matrix matrix) {
  const std::size_t n = matrix.size();
  Inverse result{Matrix(n, std::vector<double>(n, 0.0))};
  Matrix& inverse = result.matrix;
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    result.log_determinant += std::log(matrix[i][i]);
    const double scale = 1 / matrix[i][i];
    for (std::size_t j = 0; j < n; ++j) {
      matrix[i][j] *= scale;
      inverse[i][j] *= scale;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = matrix[row][i];
      if (row == i || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        matrix[row][j] -= factor * matrix[i][j];
        inverse[row][j] -= factor * inverse[i][j];
      }
    }
  }
  return result;
}

/// What is expected of a weight, in octaves, and of the noise, before anything is known: within a factor of 4.5 in two
/// of three cases.
constexpr double kExpected = 0.25, kExpectedNoise = 0.05, kSpread = 1.5;
/// A feature other than a size must explain this much.
constexpr double kFurther = 1;
constexpr int kRounds = 5;
constexpr std::array<double, 8> kWeights{0, 0.03, 0.06, 0.12, 0.25, 0.5, 1, 2};
constexpr std::array<double, 6> kNoises{0.001, 0.005, 0.02, 0.05, 0.15, 0.4};
constexpr std::array<double, 5> kFacts{0.12, 0.25, 0.5, 1, 2};
/// What is known of many choices does not say as much as if each were for itself.
constexpr double kIndependent = 3;
constexpr double kLeastVariance = 1e-6;

double unlikely(double ratio) {
  const double off = std::log(ratio) / kSpread;
  return 0.5 * off * off;
}

double kernel(const std::vector<double>& a, const std::vector<double>& b) {
  double distance = 0, product = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double along = std::abs(a[i] - b[i]);
    distance += along;
    product *= 1 + along;
  }
  return product * std::exp(-distance);
}

}  // namespace

Interpolation::Interpolation(const Lesson& lesson, Metric metric, std::vector<std::size_t> points)
    : lesson_(lesson), metric_(std::move(metric)), points_(std::move(points)) {
  least_ = most_ = lesson.points[points_.front()].values;
  for (const std::size_t point : points_) {
    for (std::size_t i = 0; i < least_.size(); ++i) {
      least_[i] = std::min(least_[i], lesson.points[point].values[i]);
      most_[i] = std::max(most_[i], lesson.points[point].values[i]);
    }
  }
  for (const std::size_t point : points_) places_.push_back(place(lesson.points[point].values));
  for (std::size_t choice = 0; choice < lesson.choices.size(); ++choice) {
    const std::size_t group = group_like(choice);
    if (group == groups_.size()) add_group(choice);
    group_of_.push_back(group);
  }
  find_variances();
}

/// How alike a choice's costs are at a point and somewhere `near` it, where these facts hold. A fact's share is the
/// same at any distance: that loads are narrow costs much the same at all sizes.
double Interpolation::correlation(std::size_t point, std::size_t choice, double near,
                                  const std::vector<std::vector<bool>>& facts) const {
  if (metric_.facts == 0 || facts.empty()) return near;
  const std::vector<bool>& there = lesson_.points[points_[point]].facts[choice];
  double match = 0;
  for (std::size_t i = 0; i < there.size(); ++i) match += there[i] == facts[choice][i] ? 1 : 0;
  match /= static_cast<double>(there.size());
  return (near + metric_.facts * match) / (1 + metric_.facts);
}

/// The group whose facts are those of this choice at all points; none: the number of groups.
std::size_t Interpolation::group_like(std::size_t choice) const {
  const auto is_like = [&](const Group& group) {
    return metric_.facts == 0 || std::all_of(points_.begin(), points_.end(), [&](std::size_t point) {
             const auto& facts = lesson_.points[point].facts;
             return facts.empty() || facts[choice] == facts[group.first];
           });
  };
  return static_cast<std::size_t>(
      std::distance(groups_.begin(), std::find_if(groups_.begin(), groups_.end(), is_like)));
}

void Interpolation::add_group(std::size_t choice) {
  const std::size_t n = points_.size();
  Matrix matrix(n, std::vector<double>(n, 1 + metric_.noise));
  for (std::size_t i = 0; i < n; ++i) {
    const auto& facts = lesson_.points[points_[i]].facts;
    for (std::size_t j = 0; j < i; ++j) {
      matrix[i][j] = matrix[j][i] = correlation(j, choice, kernel(places_[i], places_[j]), facts);
    }
  }
  Inverse inverse = inverted(std::move(matrix));
  Group group{choice, std::move(inverse.matrix), {}, 0, inverse.log_determinant};
  for (const std::vector<double>& row : group.inverse) {
    group.sums.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  }
  group.sum = std::accumulate(group.sums.begin(), group.sums.end(), 0.0);
  groups_.push_back(std::move(group));
}

void Interpolation::find_variances() {
  const std::size_t n = points_.size();
  for (std::size_t choice = 0; choice < lesson_.choices.size(); ++choice) {
    const Group& group = groups_[group_of_[choice]];
    double mean = 0, sum = 0;
    const auto cost = [&](std::size_t i) { return lesson_.points[points_[i]].costs[choice]; };
    for (std::size_t i = 0; i < n; ++i) mean += group.sums[i] * cost(i) / group.sum;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sum += (cost(i) - mean) * group.inverse[i][j] * (cost(j) - mean);
    }
    variances_.push_back(sum / static_cast<double>(n));
  }
}

/// In coordinates whose distances the kernel takes.
std::vector<double> Interpolation::place(std::span<const double> values) const {
  std::vector<double> place;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (metric_.weights[i] == 0) continue;
    double along = values[i];
    if (lesson_.features[i].is_divisibility) {
      along = along != 0 ? 1 : 0;
    } else if (least_[i] > 0) {
      along = std::log2(std::max(along, least_[i] / 2));
    } else if (most_[i] > least_[i]) {
      along /= most_[i] - least_[i];
    }
    place.push_back(along * metric_.weights[i]);
  }
  return place;
}

Interpolation::Shares Interpolation::shares(const Group& group, std::size_t choice, const std::vector<double>& near,
                                            const LessonPoint& point) const {
  const std::size_t n = points_.size();
  std::vector<double> alike(n);
  Shares result{std::vector<double>(n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    alike[i] = correlation(i, choice, near[i], point.facts);
    for (std::size_t j = 0; j < n; ++j) result.of_points[j] += alike[i] * group.inverse[i][j];
  }
  // What the shares lack to 1 is the mean's.
  const double rest = 1 - std::accumulate(result.of_points.begin(), result.of_points.end(), 0.0);
  const double known =
      std::inner_product(alike.begin(), alike.end(), result.of_points.begin(), -rest * rest / group.sum);
  result.unknown = std::max(0.0, 1 - known);
  for (std::size_t i = 0; i < n; ++i) result.of_points[i] += rest * group.sums[i] / group.sum;
  return result;
}

Interpolation::Expected Interpolation::expected(const LessonPoint& point) const {
  const std::vector<double> here = place(point.values);
  std::vector<double> near;
  for (const std::vector<double>& place : places_) near.push_back(kernel(here, place));
  const bool facts_matter = metric_.facts != 0 && !point.facts.empty();
  std::map<std::pair<std::size_t, std::vector<bool>>, Shares> known;
  Expected result;
  for (std::size_t choice = 0; choice < lesson_.choices.size(); ++choice) {
    const std::size_t group = group_of_[choice];
    const auto [found, is_new] = known.try_emplace({group, facts_matter ? point.facts[choice] : std::vector<bool>()});
    if (is_new) found->second = shares(groups_[group], choice, near, point);
    double cost = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      cost += found->second.of_points[i] * lesson_.points[points_[i]].costs[choice];
    }
    result.costs.push_back(cost);
    result.unknown.push_back(found->second.unknown);
  }
  return result;
}

double Interpolation::surprise() const {
  const auto n = static_cast<double>(points_.size());
  double sum = 0;
  for (std::size_t choice = 0; choice < variances_.size(); ++choice) {
    sum += 0.5 * (n * std::log(variances_[choice] + kLeastVariance) + groups_[group_of_[choice]].log_determinant);
  }
  const auto choices = static_cast<double>(variances_.size());
  return sum * std::min(choices, kIndependent) / choices;
}

Metric fitted_metric(const Lesson& lesson, const std::vector<std::size_t>& points) {
  Metric metric;
  for (const Feature& feature : lesson.features) {
    metric.weights.push_back(feature.expression.names().size() == 1 && !feature.is_divisibility ? kExpected : 0);
  }
  if (points.size() < 4) return metric;
  const Metric first = metric;
  const auto surprise = [&] {
    double sum = Interpolation(lesson, metric, points).surprise() + unlikely(metric.noise / kExpectedNoise) +
                 (metric.facts == 0 ? 0 : kFurther);
    for (std::size_t i = 0; i < metric.weights.size(); ++i) {
      const double weight = metric.weights[i];
      if (weight > 0) sum += unlikely(weight / kExpected) + (first.weights[i] > 0 ? 0 : kFurther);
      if (weight == 0 && first.weights[i] > 0) sum += kFurther;
    }
    return sum;
  };
  double least = surprise();
  const auto try_out = [&](double& number, std::span<const double> values) {
    for (const double value : values) {
      const double kept = std::exchange(number, value);
      const double now = surprise();
      if (now < least) {
        least = now;
      } else {
        number = kept;
      }
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    const double before = least;
    try_out(metric.noise, kNoises);
    for (double& weight : metric.weights) try_out(weight, kWeights);
    if (least > before - 0.01) break;
  }
  // Last, because then there is a matrix for each group of choices.
  if (lesson.points[points.front()].facts.empty()) return metric;
  try_out(metric.facts, kFacts);
  if (metric.facts != 0) try_out(metric.noise, kNoises);
  return metric;
}

}  // namespace tuner::search

#include "search/rule/interpolation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tuner::search {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// Of the noise, relative to the variance of what is interpolated.
constexpr double kNugget = 0.002;
/// An error counts relative to the cost and this much more: whether a bad choice loses 50 % or 60 % does not matter.
constexpr double kCounts = 0.1;

/// Gauss-Jordan, without pivots: `matrix` is symmetric and positive definite.
Matrix inverted(Matrix matrix) {
  const std::size_t n = matrix.size();
  Matrix inverse(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
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
  return inverse;
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
  const std::size_t n = points_.size();
  Matrix matrix(n, std::vector<double>(n, 1 + kNugget));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) matrix[i][j] = matrix[j][i] = kernel(places_[i], places_[j]);
  }
  inverse_ = inverted(std::move(matrix));
  for (const std::vector<double>& row : inverse_) sums_.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  sum_ = std::accumulate(sums_.begin(), sums_.end(), 0.0);
}

/// In coordinates whose distances the kernel takes.
std::vector<double> Interpolation::place(std::span<const double> values) const {
  std::vector<double> place;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (metric_[i] == 0) continue;
    double along = values[i];
    if (lesson_.features[i].is_divisibility) {
      along = along != 0 ? 1 : 0;
    } else if (least_[i] > 0) {
      along = std::log2(std::max(along, least_[i] / 2));
    } else if (most_[i] > least_[i]) {
      along /= most_[i] - least_[i];
    }
    place.push_back(along * metric_[i]);
  }
  return place;
}

std::vector<double> Interpolation::combined(std::span<const double> shares, std::size_t without) const {
  std::vector<double> costs(lesson_.choices.size(), 0.0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (i == without) continue;
    const std::vector<double>& known = lesson_.points[points_[i]].costs;
    for (std::size_t choice = 0; choice < costs.size(); ++choice) costs[choice] += shares[i] * known[choice];
  }
  return costs;
}

std::vector<double> Interpolation::costs(std::span<const double> values) const {
  const std::vector<double> here = place(values);
  const std::size_t n = points_.size();
  std::vector<double> shares(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double near = kernel(here, places_[i]);
    for (std::size_t j = 0; j < n; ++j) shares[j] += near * inverse_[i][j];
  }
  // What the shares lack to 1 is the mean's.
  const double rest = 1 - std::accumulate(shares.begin(), shares.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) shares[i] += rest * sums_[i] / sum_;
  return combined(shares, n);
}

double Interpolation::error() const {
  double sum = 0, weights = 0;
  const std::size_t n = points_.size();
  std::vector<double> shares(n);
  for (std::size_t i = 0; i < n; ++i) {
    // Leaving a point out needs no new inverse: Rasmussen and Williams, section 5.4.2.
    const double own = inverse_[i][i] - sums_[i] * sums_[i] / sum_;
    for (std::size_t j = 0; j < n; ++j) shares[j] = -(inverse_[i][j] - sums_[i] * sums_[j] / sum_) / own;
    const std::vector<double> predicted = combined(shares, i);
    const LessonPoint& point = lesson_.points[points_[i]];
    for (std::size_t choice = 0; choice < predicted.size(); ++choice) {
      const double relative = (predicted[choice] - point.costs[choice]) / (kCounts + point.costs[choice]);
      sum += point.weight * relative * relative;
      weights += point.weight;
    }
  }
  return sum / weights;
}

Metric fitted_metric(const Lesson& lesson, const std::vector<std::size_t>& points) {
  constexpr int kRounds = 4;
  constexpr double kWorthIt = 0.98, kWorthAnother = 0.95;  // of the error before
  constexpr std::array<double, 6> kRelative{0, 0.25, 0.5, 1, 2, 4};
  Metric relative;
  for (const Feature& feature : lesson.features) {
    relative.push_back(feature.expression.names().size() == 1 && !feature.is_divisibility ? 1 : 0);
  }
  double scale = 0.4;
  const auto scaled = [&] {
    Metric metric = relative;
    for (double& weight : metric) weight *= scale;
    return metric;
  };
  if (points.size() < 4) return scaled();
  const auto error = [&] { return Interpolation(lesson, scaled(), points).error(); };
  double least = error();
  for (int round = 0; round < kRounds; ++round) {
    const double before = least;
    for (const double other : {1.6, 0.8, 0.4, 0.2, 0.1, 0.05}) {
      const double kept = std::exchange(scale, other);
      const double now = error();
      if (now < kWorthIt * least) {
        least = now;
      } else {
        scale = kept;
      }
    }
    std::size_t changed = relative.size();
    double best_weight = 0, best = kWorthAnother * least;
    for (std::size_t i = 0; i < relative.size(); ++i) {
      const double kept = relative[i];
      for (const double weight : kRelative) {
        if (weight == kept) continue;
        relative[i] = weight;
        const double now = error();
        if (now >= best) continue;
        best = now;
        best_weight = weight;
        changed = i;
      }
      relative[i] = kept;
    }
    if (changed < relative.size()) {
      relative[changed] = best_weight;
      least = best;
    }
    if (least == before) break;
  }
  return scaled();
}

}  // namespace tuner::search

#include "search/rule/interpolation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
  const std::size_t n = points_.size();
  Matrix matrix(n, std::vector<double>(n, 1 + metric_.noise));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) matrix[i][j] = matrix[j][i] = kernel(places_[i], places_[j]);
  }
  Inverse inverse = inverted(std::move(matrix));
  inverse_ = std::move(inverse.matrix);
  log_determinant_ = inverse.log_determinant;
  for (const std::vector<double>& row : inverse_) sums_.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  sum_ = std::accumulate(sums_.begin(), sums_.end(), 0.0);
  find_variances();
}

void Interpolation::find_variances() {
  const std::size_t n = points_.size();
  for (std::size_t choice = 0; choice < lesson_.choices.size(); ++choice) {
    double mean = 0, sum = 0;
    const auto cost = [&](std::size_t i) { return lesson_.points[points_[i]].costs[choice]; };
    for (std::size_t i = 0; i < n; ++i) mean += sums_[i] * cost(i) / sum_;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sum += (cost(i) - mean) * inverse_[i][j] * (cost(j) - mean);
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

Interpolation::Expected Interpolation::expected(std::span<const double> values) const {
  const std::vector<double> here = place(values);
  const std::size_t n = points_.size();
  std::vector<double> near(n), shares(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    near[i] = kernel(here, places_[i]);
    for (std::size_t j = 0; j < n; ++j) shares[j] += near[i] * inverse_[i][j];
  }
  Expected result;
  // What the shares lack to 1 is the mean's.
  const double rest = 1 - std::accumulate(shares.begin(), shares.end(), 0.0);
  result.unknown = std::max(0.0, 1 - std::inner_product(near.begin(), near.end(), shares.begin(), -rest * rest / sum_));
  result.costs.assign(lesson_.choices.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double share = shares[i] + rest * sums_[i] / sum_;
    const std::vector<double>& known = lesson_.points[points_[i]].costs;
    for (std::size_t choice = 0; choice < known.size(); ++choice) result.costs[choice] += share * known[choice];
  }
  return result;
}

double Interpolation::surprise() const {
  const auto n = static_cast<double>(points_.size());
  double sum = 0;
  for (const double variance : variances_) sum += 0.5 * n * std::log(variance + kLeastVariance);
  const auto choices = static_cast<double>(variances_.size());
  return (sum + choices * 0.5 * log_determinant_) * std::min(choices, kIndependent) / choices;
}

Metric fitted_metric(const Lesson& lesson, const std::vector<std::size_t>& points) {
  Metric metric;
  for (const Feature& feature : lesson.features) {
    metric.weights.push_back(feature.expression.names().size() == 1 && !feature.is_divisibility ? kExpected : 0);
  }
  if (points.size() < 4) return metric;
  const Metric first = metric;
  const auto surprise = [&] {
    double sum = Interpolation(lesson, metric, points).surprise() + unlikely(metric.noise / kExpectedNoise);
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
  return metric;
}

}  // namespace tuner::search

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/rule/lesson.hpp"

namespace tuner::search {

/// How much each feature of a lesson counts when points are compared; 0: not at all. Sizes are compared by their binary
/// logarithms, divisibility by whether it holds.
struct Metric {
  std::vector<double> weights;
  double noise = 0.05;  ///< relative to the variance of what is interpolated
};

/// What each choice costs between the points where that is known: kriging (Gaussian process regression) with a constant
/// mean and the Matern kernel of smoothness 3/2, the same for all choices. See C. E. Rasmussen, C. K. I. Williams,
/// "Gaussian Processes for Machine Learning", MIT Press 2006, chapter 4.
class Interpolation {
 public:
  /// From these points of the lesson, which must outlive this. n points take n^3 steps.
  Interpolation(const Lesson& lesson, Metric metric, std::vector<std::size_t> points);

  struct Expected {
    std::vector<double> costs;  ///< by choice
    double unknown = 1;         ///< 0 where everything is known, 1 far from all points: a share of the variances
  };
  /// What is expected where the features have these values: n^2 steps.
  Expected expected(std::span<const double> values) const;
  /// Of what each choice costs, where nothing is known.
  const std::vector<double>& variances() const { return variances_; }
  /// How unlikely the points are: minus the logarithm of the likelihood, but for a constant.
  double surprise() const;

 private:
  std::vector<double> place(std::span<const double> values) const;
  void find_variances();

  const Lesson& lesson_;
  Metric metric_;
  std::vector<std::size_t> points_;
  std::vector<double> least_;  ///< by feature: the least value of the points
  std::vector<double> most_;
  std::vector<std::vector<double>> places_;   ///< by point
  std::vector<std::vector<double>> inverse_;  ///< of the matrix of the kernel
  std::vector<double> sums_;                  ///< of the inverse's rows
  double sum_ = 0;
  double log_determinant_ = 0;
  std::vector<double> variances_;  ///< by choice
};

/// The metric that predicts these points from each other best, found by changing one weight at a time.
Metric fitted_metric(const Lesson& lesson, const std::vector<std::size_t>& points);

}  // namespace tuner::search

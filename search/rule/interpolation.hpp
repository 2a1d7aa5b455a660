#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/rule/lesson.hpp"

namespace tuner::search {

/// How much each feature of a lesson counts when points are compared; 0: not at all. Sizes are compared by their binary
/// logarithms, divisibility by whether it holds.
using Metric = std::vector<double>;

/// What each choice costs between the points where that is known: kriging (Gaussian process regression) with a constant
/// mean and the Matern kernel of smoothness 3/2, the same for all choices. See C. E. Rasmussen, C. K. I. Williams,
/// "Gaussian Processes for Machine Learning", MIT Press 2006, chapter 4.
class Interpolation {
 public:
  /// From these points of the lesson, which must outlive this. n points take n^3 steps.
  Interpolation(const Lesson& lesson, Metric metric, std::vector<std::size_t> points);

  /// What each choice is expected to cost where the features have these values: n^2 steps.
  std::vector<double> costs(std::span<const double> values) const;
  /// The mean squared error, relative to what is to be predicted, of each point from all others.
  double error() const;

 private:
  std::vector<double> place(std::span<const double> values) const;
  std::vector<double> combined(std::span<const double> shares, std::size_t without) const;

  const Lesson& lesson_;
  Metric metric_;
  std::vector<std::size_t> points_;
  std::vector<double> least_;  ///< by feature: the least value of the points
  std::vector<double> most_;
  std::vector<std::vector<double>> places_;   ///< by point
  std::vector<std::vector<double>> inverse_;  ///< of the matrix of the kernel
  std::vector<double> sums_;                  ///< of the inverse's rows
  double sum_ = 0;
};

/// The metric that predicts these points from each other best, found by changing one weight at a time.
Metric fitted_metric(const Lesson& lesson, const std::vector<std::size_t>& points);

}  // namespace tuner::search

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
  double facts = 0;     ///< how much it counts that the same facts hold of a choice, where being near counts 1
};

/// What each choice costs between the points where that is known: kriging (Gaussian process regression) with a constant
/// mean and the Matern kernel of smoothness 3/2, for each choice by the facts that hold of it. See C. E. Rasmussen, C.
/// K. I. Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, chapter 4.
class Interpolation {
 public:
  /// From these points of the lesson, which must outlive this. n points take n^3 steps for all choices of which the
  /// same facts hold at the same points.
  Interpolation(const Lesson& lesson, Metric metric, std::vector<std::size_t> points);

  struct Expected {
    std::vector<double> costs;    ///< by choice
    std::vector<double> unknown;  ///< by choice: 0 where everything is known, 1 far from all points: of its variance
  };
  /// What is expected at a point, of which values and facts are looked at: n^2 steps, as above.
  Expected expected(const LessonPoint& point) const;
  /// Of what each choice costs, where nothing is known.
  const std::vector<double>& variances() const { return variances_; }
  /// How unlikely the points are: minus the logarithm of the likelihood, but for a constant.
  double surprise() const;

 private:
  /// Choices of which the same facts hold at the same points.
  struct Group {
    std::size_t first = 0;                     ///< choice
    std::vector<std::vector<double>> inverse;  ///< of the matrix of the kernel
    std::vector<double> sums;                  ///< of the inverse's rows
    double sum = 0;
    double log_determinant = 0;
  };
  /// What a point says of each known one, and how much is unknown there.
  struct Shares {
    std::vector<double> of_points;
    double unknown = 1;
  };
  std::vector<double> place(std::span<const double> values) const;
  double correlation(std::size_t point, std::size_t choice, double near,
                     const std::vector<std::vector<bool>>& facts) const;
  std::size_t group_like(std::size_t choice) const;
  void add_group(std::size_t choice);
  Shares shares(const Group& group, std::size_t choice, const std::vector<double>& near,
                const LessonPoint& point) const;
  void find_variances();

  const Lesson& lesson_;
  Metric metric_;
  std::vector<std::size_t> points_;
  std::vector<double> least_;  ///< by feature: the least value of the points
  std::vector<double> most_;
  std::vector<std::vector<double>> places_;  ///< by point
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;  ///< by choice
  std::vector<double> variances_;      ///< by choice
};

/// The metric that predicts these points from each other best, found by changing one weight at a time.
Metric fitted_metric(const Lesson& lesson, const std::vector<std::size_t>& points);

}  // namespace tuner::search

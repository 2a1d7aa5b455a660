#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/portfolio/loss_matrix.hpp"
#include "search/rule/features.hpp"

namespace tuner::search {

/// What a loss counts when a rule is learned. Far above some per cent a configuration is out of the question, by how
/// much hardly matters: else a few losses of 100 % would say how smooth and how sure small ones are.
double cost_of(double loss);

/// A point at which it is known, or assumed, what each choice costs.
struct LessonPoint {
  std::vector<double> values;            ///< of the features
  std::vector<double> costs;             ///< by choice; without a time: the worst known
  std::vector<std::vector<bool>> facts;  ///< by choice, of which so much holds here; empty: nothing is said of them
  std::vector<bool> is_missing;          ///< by choice, whether there is no time; empty where nothing was measured
  double nearest = 0;                    ///< what the best choice of the nearest other point costs here
  double weight = 1;
};

/// What a rule is learned from.
struct Lesson {
  std::vector<Feature> features;
  std::vector<std::size_t> choices;      ///< configurations
  std::vector<std::size_t> rows;         ///< of the matrix that have a time
  std::vector<PropertyValues> problems;  ///< of these rows
  std::vector<LessonPoint> points;       ///< one a problem
  ConfigurationFacts facts;              ///< may be empty

  /// By choice; nothing if nothing is said of them.
  std::vector<std::vector<bool>> facts_at(const PropertyValues& problem) const;
};

/// Of the problems that have a time, with the choices among `allowed`; empty: those that a portfolio of any size has,
/// of which the small ones have what is good everywhere. Throws Error{internal} if there is not a row for each problem,
/// or nothing with a time.
Lesson lesson_of(std::span<const PropertyValues> problems, const LossMatrix& losses,
                 std::span<const std::string> further, std::span<const std::size_t> allowed,
                 ConfigurationFacts facts = {});

}  // namespace tuner::search

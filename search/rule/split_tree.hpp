#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "search/rule/lesson.hpp"

namespace tuner::search {

/// A tree of questions about the features of a lesson: is the value at most the threshold?
struct SplitTree {
  struct Node {
    std::size_t choice = 0;  ///< that costs least here: of those with times everywhere, if there are any
    bool nearest = false;    ///< the nearest point's choice costs less
    double cost = 0;         ///< of the choice, over the points here
    std::size_t feature = 0;
    double threshold = 0;
    std::size_t yes = 0, no = 0;  ///< nodes behind this one; 0: a leaf
  };
  std::vector<Node> nodes;  ///< the first is the root

  /// The leaf where these values end.
  std::size_t find(const std::vector<double>& values) const;
};

/// A question must save at least this much of the mean cost, and there are at most so many in a row.
inline constexpr double kLeastSaved = 4e-4;
inline constexpr std::size_t kDeepestRule = 6;

/// Grown for the choices, whatever the nearest costs, by the question that saves most, or, where none alone does, by
/// the one that separates points with different costs most; what is not worth its nodes is pruned. Of questions that
/// save about the same the one about the earlier feature is asked.
SplitTree grow_tree(const Lesson& lesson, const std::vector<LessonPoint>& points);

}  // namespace tuner::search

#pragma once

#include <cstddef>
#include <vector>

namespace tuner::search {

struct MedianSet {
  std::vector<std::size_t> columns;  ///< ascending
  bool exact = true;                 ///< proven to be best
};

/// Sets of columns with the least cost, where each row costs what it does in the cheapest column of the set: the
/// k-median problem.
class Medians {
 public:
  /// `costs[column][row]`, finite and not negative; all columns have as many rows.
  explicit Medians(std::vector<std::vector<double>> costs);

  /// At most `count` columns with the least cost, and no column that saves nothing. `start` is a set to improve on, of
  /// at most `count`. Greedy, then swaps, then branch and bound until `steps` costs have been looked at. The same
  /// arguments give the same set.
  MedianSet best(std::size_t count, std::vector<std::size_t> start, std::size_t steps) const;

 private:
  std::vector<std::vector<double>> costs_;
  std::vector<std::size_t> candidates_;  ///< columns that no other makes superfluous, ascending
};

}  // namespace tuner::search

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/strategy/prng.hpp"

namespace tuner::search {

/// A regression over rows of numbers: the mean of many binary trees, each grown from all rows by splits that are mostly
/// chance (P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006), until rows with
/// different targets have a leaf each. How far the trees are apart says how little is known (F. Hutter, H. Hoos,
/// K. Leyton-Brown, "Sequential model-based optimization for general algorithm configuration", LION 5, 2011).
///
/// Two things differ from the paper. A cut lies between the values of two random rows rather than of the extreme ones,
/// so that it separates something wherever rows are few. And trees are kept up to date in steps: a new row splits the
/// leaf that it falls into, and the oldest trees are grown anew, a few at a time. That costs a tenth of growing all of
/// them after each row and predicts as well.
class RandomisedTrees {
 public:
  /// `tries`: features tried for each split, of which the best is taken. Higher: trees fit better and differ less.
  RandomisedTrees(std::size_t features, std::size_t trees, std::size_t tries);

  std::size_t rows() const { return targets_.size(); }
  /// Adds a row, which existing trees take in.
  void add(std::span<const float> row, float target, Prng& prng);
  /// What a row counts as in trees that are grown from now on.
  void set_target(std::size_t row, float target) { targets_[row] = target; }
  /// The same for a row whose target was only expected so far, in trees that are there, too.
  void correct(std::size_t row, float target, Prng& prng);
  /// Grows the `count` oldest trees anew, and all of them the first time. Needs a row. Costs for each about 1 us a row.
  void grow(std::size_t count, Prng& prng);

  struct Prediction {
    float mean = 0;
    float deviation = 0;  ///< standard deviation between trees
  };
  /// Of the trees whose numbers are in `trees`; after the first `grow`.
  Prediction predict(std::span<const float> row, std::span<const std::uint32_t> trees) const;
  std::size_t trees() const { return trees_.size(); }

 private:
  struct Node {
    std::int32_t feature = -1;  ///< below zero in a leaf
    float cut = 0;              ///< rows up to it go left
    std::uint32_t left = 0;     ///< the right one stands behind it
    std::uint32_t row = 0;      ///< leaf: one of its rows
    float value = 0;            ///< leaf: the mean of its targets
  };
  using Tree = std::vector<Node>;
  struct Part {
    std::uint32_t node, begin, end;  ///< the rows of a node, in `order_`
  };
  struct Split {
    std::int32_t feature = -1;
    float cut = 0;
  };

  const float* column(std::size_t feature) const { return values_.data() + feature * capacity_; }
  void reserve(std::size_t rows);
  void grow(Tree& tree, Prng& prng);
  Split split_of(std::span<const std::uint32_t> rows, float sum, Prng& prng);
  std::uint32_t leaf_of(const Tree& tree, std::uint32_t row) const;
  void insert(Tree& tree, std::uint32_t row, Prng& prng);
  static float cut_between(float a, float b, Prng& prng);

  std::size_t tries_;
  std::size_t capacity_ = 0;
  std::vector<float> values_;  // by feature, then by row: a split looks at one feature of many rows
  std::vector<float> targets_;
  std::vector<Tree> trees_;
  std::size_t oldest_ = 0;
  std::vector<std::uint32_t> features_;  // in an order that drawing without replacement leaves behind
  std::vector<std::uint32_t> order_;     // while a tree grows: rows, those of a node next to each other
  std::vector<Part> parts_;              // ... nodes that are not split yet
};

}  // namespace tuner::search

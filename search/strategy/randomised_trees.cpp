#include "search/strategy/randomised_trees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tuner::search {
namespace {

/// Targets this near are one: a leaf is not split for rounding.
constexpr float kSame = 1e-6F;

/// Uniform in 0 .. count - 1, but for 1 in 2^32: good enough for trees, and without a division.
std::uint32_t draw(std::uint32_t count, Prng& prng) {
  return static_cast<std::uint32_t>(((prng.next() >> 32) * count) >> 32);
}

float draw_unit(Prng& prng) {
  return static_cast<float>(prng.next() >> 40) * 0x1p-24F;
}

}  // namespace

RandomisedTrees::RandomisedTrees(std::size_t features, std::size_t trees, std::size_t tries)
    : tries_(tries), trees_(trees), features_(features) {
  std::iota(features_.begin(), features_.end(), std::uint32_t{0});
}

void RandomisedTrees::add(std::span<const float> row, float target, Prng& prng) {
  if (rows() == capacity_) reserve(std::max<std::size_t>(64, 2 * capacity_));
  const std::size_t index = rows();
  for (std::size_t f = 0; f < features_.size(); ++f) values_[f * capacity_ + index] = row[f];
  targets_.push_back(target);
  for (Tree& tree : trees_) {
    if (!tree.empty()) insert(tree, static_cast<std::uint32_t>(index), prng);
  }
}

void RandomisedTrees::correct(std::size_t row, float target, Prng& prng) {
  const auto index = static_cast<std::uint32_t>(row);
  targets_[row] = target;
  for (Tree& tree : trees_) {
    if (tree.empty()) continue;
    Node& leaf = tree[leaf_of(tree, index)];
    if (leaf.row == index) {
      leaf.value = target;
    } else {  // it fell in with another that had the target expected of it
      insert(tree, index, prng);
    }
  }
}

void RandomisedTrees::reserve(std::size_t rows) {
  std::vector<float> values(features_.size() * rows);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    std::copy_n(column(f), targets_.size(), values.begin() + static_cast<std::ptrdiff_t>(f * rows));
  }
  values_ = std::move(values);
  capacity_ = rows;
}

void RandomisedTrees::grow(std::size_t count, Prng& prng) {
  if (trees_.front().empty()) count = trees_.size();
  for (; count > 0; --count) {
    grow(trees_[oldest_], prng);
    oldest_ = (oldest_ + 1) % trees_.size();
  }
}

void RandomisedTrees::grow(Tree& tree, Prng& prng) {
  tree.assign(1, {});
  order_.resize(rows());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  parts_.assign(1, {0, 0, static_cast<std::uint32_t>(rows())});
  while (!parts_.empty()) {
    const Part part = parts_.back();
    parts_.pop_back();
    const std::span<std::uint32_t> rows(order_.data() + part.begin, part.end - part.begin);
    float sum = 0, least = targets_[rows[0]], most = least;
    for (const std::uint32_t row : rows) {
      sum += targets_[row];
      least = std::min(least, targets_[row]);
      most = std::max(most, targets_[row]);
    }
    tree[part.node].row = rows[0];
    tree[part.node].value = sum / static_cast<float>(rows.size());
    if (most - least < kSame) continue;
    const Split split = split_of(rows, sum, prng);
    if (split.feature < 0) continue;
    const float* values = column(static_cast<std::size_t>(split.feature));
    const auto middle =
        std::partition(rows.begin(), rows.end(), [&](std::uint32_t row) { return values[row] <= split.cut; });
    const auto border = part.begin + static_cast<std::uint32_t>(middle - rows.begin());
    const auto left = static_cast<std::uint32_t>(tree.size());
    tree.resize(tree.size() + 2);
    tree[part.node].feature = split.feature;
    tree[part.node].cut = split.cut;
    tree[part.node].left = left;
    parts_.push_back({left, part.begin, border});
    parts_.push_back({left + 1, border, part.end});
  }
}

/// The one of some random splits that leaves the least variance. A feature in which several pairs of rows do not differ
/// is given up; few rows leave little to choose, so less is tried.
RandomisedTrees::Split RandomisedTrees::split_of(std::span<const std::uint32_t> rows, float sum, Prng& prng) {
  constexpr int kPairs = 4;
  const auto count = static_cast<std::uint32_t>(rows.size());
  const std::size_t wanted = std::min<std::size_t>(tries_, 1 + rows.size() / 2);
  std::size_t tried = 0;
  Split best;
  float best_gain = -1;
  auto left = static_cast<std::uint32_t>(features_.size());
  for (std::size_t looked_at = 0; tried < wanted && left > 0 && looked_at < 3 * wanted; ++looked_at) {
    std::swap(features_[draw(left, prng)], features_[left - 1]);
    const std::uint32_t feature = features_[--left];
    const float* values = column(feature);
    float a = 0, b = 0;
    for (int pair = 0; pair < kPairs && a == b; ++pair) {
      a = values[rows[draw(count, prng)]];
      b = values[rows[draw(count, prng)]];
    }
    if (a == b) continue;
    ++tried;
    const float cut = cut_between(a, b, prng);
    float left_sum = 0;
    std::uint32_t left_count = 0;
    for (const std::uint32_t row : rows) {
      // As a factor: a branch that goes either way by chance costs more than an addition.
      const bool goes_left = values[row] <= cut;
      left_sum += static_cast<float>(goes_left) * targets_[row];
      left_count += static_cast<std::uint32_t>(goes_left);
    }
    // Variance left = variance - (m1 - m2)^2 n1 n2 / n^2, for means m and counts n of the two sides.
    const auto n1 = static_cast<float>(left_count), n2 = static_cast<float>(count - left_count);
    const float apart = left_sum / n1 - (sum - left_sum) / n2;
    const float gain = apart * apart * n1 * n2;
    if (gain > best_gain) {
      best_gain = gain;
      best = {static_cast<std::int32_t>(feature), cut};
    }
  }
  return best;
}

/// In [lower, higher), so that the lower one goes left and the higher one right.
float RandomisedTrees::cut_between(float a, float b, Prng& prng) {
  const auto [lower, higher] = std::minmax(a, b);
  const float cut = lower + (higher - lower) * draw_unit(prng);
  return cut < higher ? cut : lower;
}

std::uint32_t RandomisedTrees::leaf_of(const Tree& tree, std::uint32_t row) const {
  std::uint32_t at = 0;
  while (tree[at].feature >= 0) {
    at = tree[at].left + (column(static_cast<std::size_t>(tree[at].feature))[row] > tree[at].cut ? 1 : 0);
  }
  return at;
}

void RandomisedTrees::insert(Tree& tree, std::uint32_t row, Prng& prng) {
  const std::uint32_t at = leaf_of(tree, row);
  const Node leaf = tree[at];
  if (std::abs(leaf.value - targets_[row]) < kSame) return;
  for (auto left = static_cast<std::uint32_t>(features_.size()); left > 0;) {
    std::swap(features_[draw(left, prng)], features_[left - 1]);
    const std::uint32_t feature = features_[--left];
    const float mine = column(feature)[row], other = column(feature)[leaf.row];
    if (mine == other) continue;
    const Node added{.row = row, .value = targets_[row]};
    tree[at].feature = static_cast<std::int32_t>(feature);
    tree[at].cut = cut_between(mine, other, prng);
    tree[at].left = static_cast<std::uint32_t>(tree.size());
    tree.push_back(mine < other ? added : leaf);
    tree.push_back(mine < other ? leaf : added);
    return;
  }
}

RandomisedTrees::Prediction RandomisedTrees::predict(std::span<const float> row,
                                                     std::span<const std::uint32_t> trees) const {
  double sum = 0, squares = 0;
  for (const std::uint32_t number : trees) {
    const Node* const tree = trees_[number].data();
    const Node* node = tree;
    while (node->feature >= 0) {  // no branch for left or right: see split_of
      node = tree + (node->left + static_cast<std::uint32_t>(row[static_cast<std::size_t>(node->feature)] > node->cut));
    }
    const double value = node->value;
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(trees.size());
  const double mean = sum / count;
  return {static_cast<float>(mean), static_cast<float>(std::sqrt(std::max(0.0, squares / count - mean * mean)))};
}

}  // namespace tuner::search

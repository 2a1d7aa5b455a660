#include "search/rule/split_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>

namespace tuner::search {
namespace {

/// Points in a leaf.
constexpr std::size_t kFewest = 4;
/// A question about a later feature must save this much more.
constexpr double kPlainer = 1.05;

/// What each choice costs over some points.
class Sums {
 public:
  explicit Sums(std::size_t choices) : costs_(choices, 0.0), missing_(choices, 0) {}

  void add(const LessonPoint& point) { move(point, 1); }
  void remove(const LessonPoint& point) { move(point, -1); }

  std::size_t choice() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < costs_.size(); ++i) {
      const bool is_known = missing_[i] == 0, best_is_known = missing_[best] == 0;
      if (is_known != best_is_known ? is_known : costs_[i] < costs_[best]) best = i;
    }
    return best;
  }
  bool prefers_nearest() const { return nearest_ < costs_[choice()]; }
  double cost() const { return costs_[choice()]; }
  /// As much as this is greater for two parts than for both together, the costs differ between them.
  double apartness() const { return std::inner_product(costs_.begin(), costs_.end(), costs_.begin(), 0.0) / weight_; }

 private:
  void move(const LessonPoint& point, int sign) {
    const double weight = sign * point.weight;
    weight_ += weight;
    nearest_ += weight * point.nearest;
    for (std::size_t i = 0; i < costs_.size(); ++i) costs_[i] += weight * point.costs[i];
    for (std::size_t i = 0; i < point.is_missing.size(); ++i) missing_[i] += point.is_missing[i] ? sign : 0;
  }

  std::vector<double> costs_;
  std::vector<int> missing_;
  double weight_ = 0, nearest_ = 0;
};

struct Question {
  double saved = 0;
  double apart = 0;
  std::size_t feature = 0;
  double below = 0, above = 0;  ///< values next to the threshold
};

class Grower {
 public:
  Grower(const Lesson& lesson, const std::vector<LessonPoint>& points) : lesson_(lesson), points_(points) {
    for (const LessonPoint& point : points) worth_it_ += kLeastSaved * point.weight;
  }

  SplitTree grow() {
    std::vector<std::size_t> all(points_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    add_node(std::move(all), 0);
    return std::move(tree_);
  }

 private:
  using Points = std::vector<std::size_t>;

  double value(std::size_t point, std::size_t feature) const { return points_[point].values[feature]; }

  /// What the node costs with what is below it. A question that does not save enough is not asked.
  double add_node(Points points, std::size_t depth) {
    const std::size_t id = tree_.nodes.size();
    Sums all(lesson_.choices.size());
    for (const std::size_t point : points) all.add(points_[point]);
    SplitTree::Node node;
    node.choice = all.choice();
    node.nearest = all.prefers_nearest();
    node.cost = all.cost();
    tree_.nodes.push_back(node);
    if (depth == kDeepestRule) return node.cost;
    const Question question = best_question(points, all, node.cost);
    if (question.apart <= 0) return node.cost;
    node.feature = question.feature;
    node.threshold = threshold(question);
    const auto middle = std::stable_partition(
        points.begin(), points.end(), [&](std::size_t point) { return value(point, node.feature) <= node.threshold; });
    node.yes = tree_.nodes.size();
    const double yes = add_node({points.begin(), middle}, depth + 1);
    node.no = tree_.nodes.size();
    const double no = add_node({middle, points.end()}, depth + 1);
    const std::size_t questions = (tree_.nodes.size() - id) / 2;
    if (node.cost - yes - no < worth_it_ * static_cast<double>(questions)) {
      tree_.nodes.resize(id + 1);
      return node.cost;
    }
    tree_.nodes[id] = node;
    return yes + no;
  }

  Question best_question(Points points, const Sums& all, double cost) const {
    Question saving, separating;
    for (std::size_t feature = 0; feature < lesson_.features.size(); ++feature) {
      std::stable_sort(points.begin(), points.end(),
                       [&](std::size_t a, std::size_t b) { return value(a, feature) < value(b, feature); });
      Sums below(lesson_.choices.size());
      Sums above = all;
      for (std::size_t i = 0; i + kFewest < points.size(); ++i) {
        below.add(points_[points[i]]);
        above.remove(points_[points[i]]);
        const double last = value(points[i], feature), next = value(points[i + 1], feature);
        if (lesson_.features[feature].is_divisibility && last != 0) break;
        if (last == next || i + 1 < kFewest) continue;
        const double saved = cost - below.cost() - above.cost();
        const double apart = below.apartness() + above.apartness() - all.apartness();
        const Question question{saved, apart, feature, last, next};
        if (saved > saving.saved * (feature == saving.feature ? 1 : kPlainer)) saving = question;
        if (apart > separating.apart * (feature == separating.feature ? 1 : kPlainer)) separating = question;
      }
    }
    return saving.saved > worth_it_ / 2 ? saving : separating;
  }

  /// The shortest number between the two values, near their geometric mean.
  double threshold(const Question& question) const {
    const double low = question.below, high = question.above;
    if (lesson_.features[question.feature].is_divisibility) return 0;
    double middle = low > 0 ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
    const bool whole = std::all_of(points_.begin(), points_.end(), [&](const LessonPoint& point) {
      return point.values[question.feature] == std::floor(point.values[question.feature]);
    });
    if (whole) middle = std::floor(middle);
    for (int digits = 2; digits < 17; ++digits) {
      const std::string text = fmt::format("{:.{}g}", middle, digits);
      double rounded = 0;
      std::from_chars(text.data(), text.data() + text.size(), rounded);
      if (rounded >= low && rounded < high) return rounded;
    }
    return low;
  }

  const Lesson& lesson_;
  const std::vector<LessonPoint>& points_;
  double worth_it_ = 0;
  SplitTree tree_;
};

}  // namespace

std::size_t SplitTree::find(const std::vector<double>& values) const {
  std::size_t at = 0;
  while (nodes[at].yes != 0) at = values[nodes[at].feature] <= nodes[at].threshold ? nodes[at].yes : nodes[at].no;
  return at;
}

SplitTree grow_tree(const Lesson& lesson, const std::vector<LessonPoint>& points) {
  return Grower(lesson, points).grow();
}

}  // namespace tuner::search

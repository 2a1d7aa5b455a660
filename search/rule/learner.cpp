#include "search/rule/learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/rule/interpolation.hpp"
#include "search/rule/lesson.hpp"
#include "search/rule/sampler.hpp"
#include "search/rule/split_tree.hpp"

namespace tuner::search {
namespace {

/// More would only take longer: the metric has a few dozen numbers.
constexpr std::size_t kMostFitted = 60;
/// Times that a rule is learned again for validation.
constexpr std::size_t kMostFolds = 24;
constexpr std::size_t kSamples = 2000;
/// Two means over a few dozen times with a noise of 1 % may differ by this much without meaning anything.
constexpr double kWithinNoise = 0.003;

using Points = std::vector<std::size_t>;

/// Every so many, so that at most `most` are left.
Points thinned(const Points& points, std::size_t most) {
  const std::size_t step = (points.size() + most - 1) / most;
  Points result;
  for (std::size_t i = 0; i < points.size(); i += step) result.push_back(points[i]);
  return result;
}

/// A tree for what is interpolated between these points of the lesson.
SplitTree tree_of(const Lesson& lesson, const Points& points) {
  const Interpolation interpolation(lesson, fitted_metric(lesson, thinned(points, kMostFitted)), points);
  std::vector<LessonPoint> samples;
  for (const std::size_t point : points) samples.push_back(lesson.points[point]);
  Sampler sampler(lesson, points);
  while (samples.size() < kSamples + points.size()) {
    std::optional<LessonPoint> sample = sampler.next();
    if (!sample) break;
    sample->costs = interpolation.costs(sample->values);
    samples.push_back(*std::move(sample));
  }
  return grow_tree(lesson, samples);
}

/// By point, the choice of a rule that was learned without it.
std::vector<std::size_t> choices_left_out(const Lesson& lesson) {
  const std::size_t count = lesson.points.size();
  const std::size_t folds = std::min(count, kMostFolds);
  std::vector<std::size_t> choices(count, 0);
  for (std::size_t fold = 0; fold < folds && count > 1; ++fold) {
    Points others;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % folds != fold) others.push_back(i);
    }
    const SplitTree tree = tree_of(lesson, others);
    for (std::size_t i = fold; i < count; i += folds) {
      choices[i] = tree.nodes[tree.find(lesson.points[i].values)].choice;
    }
  }
  return choices;
}

class Mean {
 public:
  void add(double weight, double loss) {
    sum_ += weight * loss;
    weights_ += weight;
    worst_ = std::max(worst_, loss);
  }
  double mean() const { return weights_ > 0 ? sum_ / weights_ : 0; }
  double worst() const { return worst_; }

 private:
  double sum_ = 0, weights_ = 0, worst_ = 0;
};

/// The nearest other problem, the first of several; nothing if none is near.
std::optional<std::size_t> nearest(const Lesson& lesson, std::size_t point, const ProblemDistance& distance) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t other = 0; other < lesson.points.size(); ++other) {
    if (other == point) continue;
    const auto here = distance(lesson.problems[other], lesson.problems[point]);
    if (!here || (best && *here >= least)) continue;
    best = other;
    least = *here;
  }
  return best;
}

RuleValidation validated(const Lesson& lesson, const std::vector<double>& rule, const std::vector<double>& rival) {
  Mean all, compared, nearest;
  RuleValidation validation;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const double weight = lesson.points[i].weight;
    all.add(weight, rule[i]);
    if (std::isnan(rival[i])) continue;
    compared.add(weight, rule[i]);
    nearest.add(weight, rival[i]);
    ++validation.compared;
  }
  validation.problems = rule.size();
  validation.rule_mean = all.mean();
  validation.rule_worst = all.worst();
  validation.rule_mean_compared = compared.mean();
  validation.nearest_mean = nearest.mean();
  validation.nearest_worst = nearest.worst();
  validation.prefers_rule =
      validation.compared == 0 || validation.rule_mean_compared < validation.nearest_mean + kWithinNoise;
  return validation;
}

class Assembly {
 public:
  Assembly(const Lesson& lesson, const SplitTree& tree, const std::vector<double>& losses_left_out)
      : lesson_(lesson), tree_(tree), here_(tree.nodes.size()), counts_(tree.nodes.size(), 0) {
    for (std::size_t i = 0; i < lesson.points.size(); ++i) {
      const std::size_t leaf = tree.find(lesson.points[i].values);
      here_[leaf].add(lesson.points[i].weight, losses_left_out[i]);
      all_.add(lesson.points[i].weight, losses_left_out[i]);
      ++counts_[leaf];
    }
  }

  Rule rule(std::span<const PropertyValues> problems) const {
    Rule rule;
    rule.domain = domain_of(problems);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const SplitTree::Node& node = tree_.nodes[i];
      if (node.yes != 0) {
        rule.nodes.push_back(
            RuleQuestion{lesson_.features[node.feature].expression, node.threshold, node.yes, node.no});
        continue;
      }
      const double expected = counts_[i] > 0 ? here_[i].mean() : all_.mean();
      rule.nodes.push_back(RuleLeaf{lesson_.choices[node.choice], expected, counts_[i]});
    }
    return rule;
  }

 private:
  const Lesson& lesson_;
  const SplitTree& tree_;
  std::vector<Mean> here_;
  Mean all_;
  std::vector<std::size_t> counts_;
};

}  // namespace

LearnedRule learn_rule(const LearnRequest& request) {
  const Lesson lesson = lesson_of(request.problems, request.losses, request.further, request.allowed);
  Points all(lesson.points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const SplitTree tree = tree_of(lesson, all);
  const std::vector<std::size_t> choices = choices_left_out(lesson);
  std::vector<double> rule, rival;
  for (const std::size_t point : all) {
    rule.push_back(request.losses.loss_or_worst(lesson.rows[point], lesson.choices[choices[point]]));
    const auto near = nearest(lesson, point, request.distance);
    rival.push_back(near ? request.losses.loss_or_worst(lesson.rows[point], *request.losses.best(lesson.rows[*near]))
                         : std::nan(""));
  }
  return {Assembly(lesson, tree, rule).rule(lesson.problems), validated(lesson, rule, rival)};
}
}  // namespace tuner::search

#include "search/rule/learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
constexpr double kWithinNoise = 0.001;
/// What is near is asked unless the rule loses less by this factor and so much: a rule that was learned from two dozen
/// problems was, on measured ones, at times far off, and the nearest hardly ever.
constexpr double kMustBe = 0.9, kMustGain = 0.005;

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
  for (const std::size_t point : points) {
    samples.push_back(lesson.points[point]);
    // What was measured counts as much as what is interpolated: a question that is wrong there is wrong.
    samples.back().weight *= static_cast<double>(kSamples) / static_cast<double>(points.size());
  }
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

struct Near {
  std::size_t point = 0;
  double distance = 0;
};

/// The nearest other problem, the first of several; nothing if none is near.
std::optional<Near> nearest(const Lesson& lesson, std::size_t point, const ProblemDistance& distance) {
  std::optional<Near> best;
  for (std::size_t other = 0; other < lesson.points.size(); ++other) {
    if (other == point) continue;
    const auto here = distance(lesson.problems[other], lesson.problems[point]);
    if (here && (!best || *here < best->distance)) best = {other, *here};
  }
  return best;
}

/// What both advisers lost on a problem that was left out.
struct LeftOut {
  double weight = 1, rule = 0;
  std::optional<double> nearest;  ///< nothing where no problem is near
  double distance = 0;
};

/// The mean loss if the nearest problem is asked up to this distance.
double mean_of_used(const std::vector<LeftOut>& all, double nearest_within) {
  Mean mean;
  for (const LeftOut& one : all) {
    mean.add(one.weight, one.nearest && one.distance <= nearest_within ? *one.nearest : one.rule);
  }
  return mean.mean();
}

RuleValidation validated(const std::vector<LeftOut>& all) {
  Mean rule, nearest;
  RuleValidation validation;
  for (const LeftOut& one : all) {
    rule.add(one.weight, one.rule);
    if (!one.nearest) continue;
    nearest.add(one.weight, *one.nearest);
    ++validation.compared;
  }
  validation.problems = all.size();
  validation.rule_mean = rule.mean();
  validation.rule_worst = rule.worst();
  validation.nearest_mean = nearest.mean();
  validation.nearest_worst = nearest.worst();
  // Of what is as good within the noise, that with the most of the nearest.
  const double by_nearest = mean_of_used(all, std::numeric_limits<double>::infinity());
  double best = mean_of_used(all, 0);
  for (const LeftOut& one : all) {
    if (one.nearest) best = std::min(best, mean_of_used(all, one.distance));
  }
  const bool pays = best < kMustBe * by_nearest && best < by_nearest - kMustGain;
  const double enough = pays ? best + kWithinNoise : by_nearest;
  validation.used_mean = mean_of_used(all, 0);
  for (const LeftOut& one : all) {
    if (!one.nearest || one.distance <= validation.nearest_within) continue;
    const double mean = mean_of_used(all, one.distance);
    if (mean > enough) continue;
    validation.nearest_within = one.distance;
    validation.used_mean = mean;
  }
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
  std::vector<double> rule;
  std::vector<LeftOut> left_out;
  for (const std::size_t point : all) {
    const auto loss = [&](std::size_t configuration) {
      return request.losses.loss_or_worst(lesson.rows[point], configuration);
    };
    rule.push_back(loss(lesson.choices[choices[point]]));
    LeftOut& one = left_out.emplace_back(LeftOut{lesson.points[point].weight, rule.back(), {}, 0});
    const auto near = nearest(lesson, point, request.distance);
    if (!near) continue;
    one.nearest = loss(*request.losses.best(lesson.rows[near->point]));
    one.distance = near->distance;
  }
  return {Assembly(lesson, tree, rule).rule(lesson.problems), validated(left_out)};
}
}  // namespace tuner::search

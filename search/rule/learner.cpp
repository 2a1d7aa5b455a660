#include "search/rule/learner.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>
#include <thread>

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
/// By so much the mean cost of a rule on a few dozen left-out problems may be above the nearest's by chance.
constexpr double kChance = 0.005;
/// So many that others would give nearly the same tree: of 2000, which of two trees it becomes is chance. Validation
/// grows two dozen trees of 2000: it judges trees like this one, not this one.
constexpr std::size_t kSamples = 8000, kFoldSamples = 2000;
/// What all that was measured counts, beside the samples: a question that is wrong there is wrong. Not as much as they,
/// because the nearest tuned size is farther from another tuned one than from most that will be asked for.
constexpr double kMeasured = 0.15;
/// An untuned size takes the nearest one's choice unless another is expected to cost less by this many standard
/// deviations of the difference. With less, more is lost where the nearest was right, and less where it was wrong.
constexpr double kCaution = 0.2;

using Points = std::vector<std::size_t>;

/// Every so many, so that at most `most` are left.
Points thinned(const Points& points, std::size_t most) {
  const std::size_t step = (points.size() + most - 1) / most;
  Points result;
  for (std::size_t i = 0; i < points.size(); i += step) result.push_back(points[i]);
  return result;
}

/// The nearest other of these points to a problem, the first of several; nothing if none is near.
std::optional<std::size_t> nearest(const Lesson& lesson, const Points& points, const PropertyValues& problem,
                                   const ProblemDistance& distance) {
  std::optional<std::size_t> best;
  double least = 0;
  for (const std::size_t point : points) {
    if (&lesson.problems[point] == &problem) continue;
    const auto here = distance(lesson.problems[point], problem);
    if (!here || (best && *here >= least)) continue;
    best = point;
    least = *here;
  }
  return best;
}

std::size_t best_choice(const LessonPoint& point) {
  return static_cast<std::size_t>(
      std::distance(point.costs.begin(), std::min_element(point.costs.begin(), point.costs.end())));
}

/// Makes a tree of what is known at some points of a lesson.
class Teacher {
 public:
  Teacher(const Lesson& lesson, Points points, const ProblemDistance& distance)
      : lesson_(lesson),
        points_(std::move(points)),
        distance_(distance),
        interpolation_(lesson, fitted_metric(lesson, thinned(points_, kMostFitted)), points_) {}

  /// From so many drawn problems, beside those that were measured.
  SplitTree tree(std::size_t drawn) const {
    std::vector<LessonPoint> samples;
    for (const std::size_t point : points_) samples.push_back(known(point, drawn));
    Sampler sampler(lesson_, points_);
    while (samples.size() < drawn + points_.size()) {
      std::optional<Sampler::Sample> sample = sampler.next();
      if (!sample) break;
      add_costs(*sample);
      samples.push_back(std::move(sample->point));
    }
    return grow_tree(lesson_, samples);
  }

 private:
  LessonPoint known(std::size_t at, std::size_t drawn) const {
    LessonPoint point = lesson_.points[at];
    point.weight *= kMeasured * static_cast<double>(drawn) / static_cast<double>(points_.size());
    const auto near = nearest(lesson_, points_, lesson_.problems[at], distance_);
    point.nearest = near ? point.costs[best_choice(lesson_.points[*near])]
                         : *std::max_element(point.costs.begin(), point.costs.end());
    return point;
  }

  void add_costs(Sampler::Sample& sample) const {
    LessonPoint& point = sample.point;
    point.facts = lesson_.facts_at(sample.problem);
    const Interpolation::Expected expected = interpolation_.expected(point);
    point.costs = expected.costs;
    const auto near = nearest(lesson_, points_, sample.problem, distance_);
    if (!near) {
      point.nearest = *std::max_element(point.costs.begin(), point.costs.end());
      return;
    }
    const std::size_t its_choice = best_choice(lesson_.points[*near]);
    point.nearest = point.costs[its_choice];
    const std::vector<double>& variances = interpolation_.variances();
    for (std::size_t choice = 0; choice < point.costs.size(); ++choice) {
      if (choice == its_choice) continue;
      point.costs[choice] += kCaution * std::sqrt(expected.unknown[choice] * variances[choice] +
                                                  expected.unknown[its_choice] * variances[its_choice]);
    }
  }

  const Lesson& lesson_;
  Points points_;
  const ProblemDistance& distance_;
  Interpolation interpolation_;
};

/// What was advised for a point by what was learned without it.
struct Advice {
  std::size_t choice = 0;
  bool nearest = false;
};

std::vector<Advice> advice_left_out(const Lesson& lesson, const ProblemDistance& distance) {
  const std::size_t count = lesson.points.size();
  const std::size_t folds = std::min(count, kMostFolds);
  std::vector<Advice> advice(count);
  if (count < 2) return advice;
  const auto leave_out = [&](std::size_t fold) {
    Points others;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % folds != fold) others.push_back(i);
    }
    const SplitTree tree = Teacher(lesson, others, distance).tree(kFoldSamples);
    for (std::size_t i = fold; i < count; i += folds) {
      const SplitTree::Node& leaf = tree.nodes[tree.find(lesson.points[i].values)];
      advice[i] = {leaf.choice, leaf.nearest};
    }
  };
  // Some forty milliseconds each, for which somebody waits.
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, folds);
  const auto work_off = [&](std::size_t first) {
    for (std::size_t fold = first; fold < folds; fold += threads) leave_out(fold);
  };
  std::vector<std::future<void>> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.push_back(std::async(work_off, thread));
  work_off(0);
  for (std::future<void>& other : others) other.get();
  return advice;
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

/// What both advisers lost on a problem that was left out.
struct LeftOut {
  double weight = 1, rule = 0;
  std::optional<double> nearest;  ///< nothing where no problem is near
};

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
  return validation;
}

/// Whether the rule costs no more than the nearest, but for chance, where that can be asked.
bool pays(const std::vector<LeftOut>& all) {
  Mean rule, nearest;
  for (const LeftOut& one : all) {
    if (!one.nearest) continue;
    rule.add(one.weight, cost_of(one.rule));
    nearest.add(one.weight, cost_of(*one.nearest));
  }
  return rule.mean() < nearest.mean() + kChance;
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
      rule.nodes.push_back(RuleLeaf{lesson_.choices[node.choice], expected, counts_[i], node.nearest});
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
  const Lesson lesson = lesson_of(request.problems, request.losses, request.further, request.allowed, request.facts);
  Points all(lesson.points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  SplitTree tree = Teacher(lesson, all, request.distance).tree(kSamples);
  const std::vector<Advice> advice = advice_left_out(lesson, request.distance);
  std::vector<LeftOut> left_out;
  for (const std::size_t point : all) {
    const auto loss = [&](std::size_t configuration) {
      return request.losses.loss_or_worst(lesson.rows[point], configuration);
    };
    LeftOut& one =
        left_out.emplace_back(LeftOut{lesson.points[point].weight, loss(lesson.choices[advice[point].choice]), {}});
    const auto near = nearest(lesson, all, lesson.problems[point], request.distance);
    if (near) one.nearest = loss(*request.losses.best(lesson.rows[*near]));
    if (near && advice[point].nearest) one.rule = *one.nearest;
  }
  if (!pays(left_out)) {
    for (SplitTree::Node& node : tree.nodes) node.nearest = true;
    for (LeftOut& one : left_out) one.rule = one.nearest.value_or(one.rule);
  }
  std::vector<double> losses;
  for (const LeftOut& one : left_out) losses.push_back(one.rule);
  return {Assembly(lesson, tree, losses).rule(lesson.problems), validated(left_out)};
}
}  // namespace tuner::search

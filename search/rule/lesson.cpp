#include "search/rule/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "search/portfolio/portfolio.hpp"
#include "tuner/error.hpp"

namespace tuner::search {
namespace {

/// Enough for the greedy portfolios with a few swaps: which of two equals is among the choices does not matter.
constexpr std::size_t kSteps = 100'000;

/// Losses up to about this count as they are. With half of it rules lose more on kernels that they were not made for.
constexpr double kSlight = 0.1;

std::vector<std::size_t> worth_choosing(const LossMatrix& losses) {
  std::set<std::size_t> choices;
  for (const Portfolio& portfolio : portfolio_curve(losses, kSteps)) {
    choices.insert(portfolio.members.begin(), portfolio.members.end());
  }
  return {choices.begin(), choices.end()};
}

LessonPoint point_of(const LossMatrix& losses, std::size_t problem, const std::vector<std::size_t>& choices) {
  LessonPoint point;
  point.weight = losses.weight(problem);
  for (const std::size_t choice : choices) {
    point.is_missing.push_back(losses.loss(problem, choice) == LossMatrix::kUnknown);
    point.costs.push_back(cost_of(losses.loss_or_worst(problem, choice)));
  }
  return point;
}

}  // namespace

double cost_of(double loss) {
  return kSlight * std::log1p(loss / kSlight);
}

std::vector<std::vector<bool>> Lesson::facts_at(const PropertyValues& problem) const {
  std::vector<std::vector<bool>> result;
  if (!facts) return result;
  for (const std::size_t choice : choices) result.push_back(facts(problem, choice));
  return result;
}

Lesson lesson_of(std::span<const PropertyValues> problems, const LossMatrix& losses,
                 std::span<const std::string> further, std::span<const std::size_t> allowed, ConfigurationFacts facts) {
  if (problems.size() != losses.problems()) {
    throw Error(Errc::internal, fmt::format("There are losses of {} problems instead of {}; give a row for each.",
                                            losses.problems(), problems.size()));
  }
  Lesson lesson;
  lesson.facts = std::move(facts);
  lesson.choices.assign(allowed.begin(), allowed.end());
  if (allowed.empty()) lesson.choices = worth_choosing(losses);
  for (std::size_t problem = 0; problem < problems.size(); ++problem) {
    if (!losses.best(problem)) continue;
    lesson.rows.push_back(problem);
    lesson.problems.push_back(problems[problem]);
    lesson.points.push_back(point_of(losses, problem, lesson.choices));
  }
  if (lesson.points.empty() || lesson.choices.empty()) {
    throw Error(Errc::internal,
                "A rule cannot be learned, because no configuration has a time on any problem; tune "
                "some problems first.");
  }
  lesson.features = candidate_features(lesson.problems, further);
  for (std::size_t i = 0; i < lesson.points.size(); ++i) {
    lesson.points[i].facts = lesson.facts_at(lesson.problems[i]);
    for (const Feature& feature : lesson.features) {
      lesson.points[i].values.push_back(feature_value(feature.expression, lesson.problems[i]).value_or(0));
    }
  }
  return lesson;
}

}  // namespace tuner::search

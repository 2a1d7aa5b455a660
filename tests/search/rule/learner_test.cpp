#include "search/rule/learner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "search/rule/interpolation.hpp"
#include "search/rule/split_tree.hpp"
#include "tests/search/rule/families.hpp"
#include "tuner/error.hpp"

namespace tuner::search {
namespace {

using Times = std::vector<std::vector<std::optional<double>>>;
using test::Family;
using test::FamilyMaker;

/// As the tuner has it for sizes: the greatest difference in octaves. Here every problem may stand in for every other.
std::optional<double> octaves(const PropertyValues& a, const PropertyValues& b) {
  double greatest = 0;
  for (const auto& [name, value] : a) {
    greatest = std::max(greatest, std::abs(std::log2(value.as_real() / b.at(name).as_real())));
  }
  return greatest;
}

LearnedRule learned(const std::vector<PropertyValues>& problems, const LossMatrix& losses,
                    const std::vector<std::string>& further = {}, const std::vector<std::size_t>& allowed = {}) {
  return learn_rule({problems, losses, octaves, further, allowed});
}

/// Sizes 64, 128, ... and a bit more, and times that a function of size and configuration gives.
template <class Time>
std::pair<std::vector<PropertyValues>, Times> series(std::size_t count, std::size_t configurations, Time time) {
  std::vector<PropertyValues> problems;
  Times times;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t n = (std::int64_t{64} << i) + (i % 3 == 0 ? 1 : 0);
    problems.push_back({{"n", n}});
    times.emplace_back();
    for (std::size_t c = 0; c < configurations; ++c) times.back().push_back(time(static_cast<double>(n), c));
  }
  return {problems, times};
}

std::size_t choice(const LearnedRule& learned, std::int64_t n) {
  const auto leaf = learned.rule.choose({{"n", n}});
  REQUIRE(leaf);
  return leaf->configuration;
}

TEST_CASE("the boundary between two configurations is put where their times meet, between the sizes tuned") {
  const auto [problems, times] = series(10, 2, [](double n, std::size_t c) {
    return c == 0 ? 1000 + n : 2000 + 0.2 * n;  // equal at 1250; tuned are 1024 and 2048
  });
  const LearnedRule rule = learned(problems, LossMatrix(times));
  CHECK(choice(rule, 1100) == 0);
  CHECK(choice(rule, 1400) == 1);
  CHECK(choice(rule, 64) == 0);
  CHECK(choice(rule, 60000) == 1);
  CHECK(rule.validation.problems == 10);
  CHECK(rule.validation.rule_mean < rule.validation.nearest_mean);
  CHECK_FALSE(rule.rule.choose({{"n", std::int64_t{1} << 30}}));
}

TEST_CASE("a configuration for sizes in the middle is found although no single question leads there") {
  const auto [problems, times] = series(12, 2, [](double n, std::size_t c) {
    return c == 0 ? 1000.0 : std::abs(std::log2(n) - 11.5) < 2 ? 950.0 : 1400.0;
  });
  const LearnedRule rule = learned(problems, LossMatrix(times));
  CHECK(choice(rule, 100) == 0);
  CHECK(choice(rule, 3000) == 1);
  CHECK(choice(rule, 60000) == 0);
}

TEST_CASE("divisibility is asked about where it decides") {
  const auto [problems, times] = series(16, 2, [](double n, std::size_t c) {
    const bool even = static_cast<std::int64_t>(n) % 4 == 0;
    return (100 + n) * (c == 0 ? 1.2 : even ? 1.0 : 2.0);
  });
  const LearnedRule rule = learned(problems, LossMatrix(times));
  CHECK(choice(rule, 3 * 1024) == 1);
  CHECK(choice(rule, 3 * 1024 + 1) == 0);
  CHECK(rule.validation.rule_mean < 0.01);
  CHECK(rule.validation.nearest_mean > 0.05);
}

TEST_CASE("expressions of the caller are asked about") {
  std::vector<PropertyValues> problems;
  Times times;
  for (std::int64_t n = 1; n <= 30; ++n) {
    problems.push_back({{"n", 1000 + n * 37}});
    const bool full = (1000 + n * 37) / 128 % 2 == 0;
    times.push_back({full ? 100.0 : 130.0, 115.0});
  }
  const LossMatrix losses(times);
  const LearnedRule with = learned(problems, losses, {"n // 128 % 2"});
  CHECK(choice(with, 128 * 12 + 5) == 0);
  CHECK(choice(with, 128 * 13 + 5) == 1);
  CHECK(with.validation.rule_mean < 0.5 * learned(problems, losses).validation.rule_mean);
}

TEST_CASE("a rule names only what is allowed, and nothing that has no time on a problem of its leaf") {
  auto [problems, times] = series(10, 4, [](double n, std::size_t c) {
    return 1000 + n * (c == 0 ? 1 : c == 1 ? 1.3 : c == 2 ? 1.02 : 1.2);
  });
  const LearnedRule any = learned(problems, LossMatrix(times));
  CHECK(choice(any, 5000) == 0);
  const LearnedRule some = learned(problems, LossMatrix(times), {}, {1, 3});
  CHECK(choice(some, 5000) == 3);
  for (std::size_t i = 4; i < 10; ++i) times[i][0] = std::nullopt;
  const LearnedRule gaps = learned(problems, LossMatrix(times));
  CHECK(choice(gaps, 20000) == 2);
}

TEST_CASE("a problem without any time teaches nothing, and no time at all is an error") {
  auto [problems, times] = series(6, 2, [](double, std::size_t c) { return c == 0 ? 2.0 : 1.0; });
  times[2] = {std::nullopt, std::nullopt};
  const LearnedRule rule = learned(problems, LossMatrix(times));
  CHECK(rule.validation.problems == 5);
  CHECK(choice(rule, 500) == 1);
  CHECK(rule.rule.nodes.size() == 1);
  CHECK_THROWS_AS(learned({problems[0]}, LossMatrix(Times{{std::nullopt}})), Error);
  CHECK_THROWS_AS(learned({problems[0]}, LossMatrix(times)), Error);
  const LearnedRule single = learned({problems[0]}, LossMatrix(Times{{2.0, 1.0}}));
  CHECK(choice(single, 65) == 1);
  CHECK(single.validation.compared == 0);
}

TEST_CASE("the same trials give the same rule") {
  FamilyMaker maker(5, 0.01);
  const Family family = maker.rows(20);
  const LossMatrix losses(family.times_ns);
  const LearnedRule a = learned(family.problems, losses), b = learned(family.problems, losses);
  REQUIRE(a.rule.nodes.size() == b.rule.nodes.size());
  REQUIRE(a.rule.nodes.size() > 1);
  for (std::size_t i = 0; i < a.rule.nodes.size(); ++i) {
    const auto *x = std::get_if<RuleQuestion>(&a.rule.nodes[i]), *y = std::get_if<RuleQuestion>(&b.rule.nodes[i]);
    REQUIRE((x == nullptr) == (y == nullptr));
    if (x != nullptr) CHECK((x->expression.text() == y->expression.text() && x->threshold == y->threshold));
  }
}

/// What the rule, which may ask the nearest, and the nearest lose on problems that were left out.
struct Left {
  double rule = 0, nearest = 0;
};

/// Half of the problems left out, in five random ways.
Left left_out(const Family& family) {
  const LossMatrix all(family.times_ns);
  Prng prng(1);
  std::vector<std::size_t> order(family.problems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Left sum;
  double count = 0;
  for (int split = 0; split < 5; ++split) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
    const std::vector<std::size_t> tuned(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2));
    std::vector<PropertyValues> problems;
    for (const std::size_t i : tuned) problems.push_back(family.problems[i]);
    const LearnedRule rule = learned(problems, all.of_problems(tuned));
    for (std::size_t i = order.size() / 2; i < order.size(); ++i) {
      const PropertyValues& problem = family.problems[order[i]];
      const std::size_t near = *std::min_element(tuned.begin(), tuned.end(), [&](std::size_t a, std::size_t b) {
        return *octaves(family.problems[a], problem) < *octaves(family.problems[b], problem);
      });
      const double nearest = all.loss(order[i], *all.best(near));
      const auto leaf = rule.rule.choose(problem);
      sum.rule += leaf && !leaf->nearest ? all.loss(order[i], leaf->configuration) : nearest;
      sum.nearest += nearest;
      ++count;
    }
  }
  return {sum.rule / count, sum.nearest / count};
}

TEST_CASE("on kernels that it was not made for, a rule loses far less than the nearest size, or no more") {
  FamilyMaker maker(101, 0.005);
  Left sum;
  for (const Family& family :
       {maker.softmax(40), maker.stencil(40), maker.transpose(25), maker.scan(25), maker.batched(40)}) {
    const Left left = left_out(family);
    CAPTURE(family.name);
    CAPTURE(left.nearest);
    CAPTURE(left.rule);
    CHECK(left.rule < left.nearest + 0.005);
    if (left.nearest < 0.02) continue;
    sum.rule += left.rule;
    sum.nearest += left.nearest;
  }
  CHECK(sum.rule < 0.67 * sum.nearest);
}

TEST_CASE("a small loss counts as it is, and a great one hardly less than a greater one") {
  CHECK(cost_of(0) == 0);
  CHECK(cost_of(0.01) == doctest::Approx(0.01).epsilon(0.05));
  CHECK(cost_of(3) > cost_of(2));
  CHECK(cost_of(3) - cost_of(2) < cost_of(0.12) - cost_of(0.02));
}

TEST_CASE("between the sizes tuned a leaf names what is expected to be cheaper than the nearest's") {
  Lesson lesson;
  lesson.features = candidate_features(std::vector<PropertyValues>{{{"n", 64}}, {{"n", 4096}}}, {});
  lesson.choices = {0, 1};
  std::vector<LessonPoint> drawn;
  for (int i = 0; i < 16; ++i) {
    LessonPoint point;
    point.values = {64.0 * (i + 1)};
    point.costs = {0.2, 0.1};
    point.nearest = i < 8 ? 0.2 : 0.05;
    drawn.push_back(point);
  }
  CHECK_FALSE(grow_tree(lesson, {drawn.begin(), drawn.begin() + 8}).nodes.front().nearest);
  CHECK(grow_tree(lesson, {drawn.begin() + 8, drawn.end()}).nodes.front().nearest);
}

TEST_CASE("an interpolation is exact where costs are known and even between") {
  std::vector<PropertyValues> problems;
  Times times;
  for (const int n : {64, 256, 1024, 4096}) {
    problems.push_back({{"n", n}});
    times.push_back({100.0, 100.0 * std::exp(0.1 * std::log2(n))});
  }
  const Lesson lesson = lesson_of(problems, LossMatrix(times), {}, std::vector<std::size_t>{0, 1});
  Metric metric = fitted_metric(lesson, {0, 1, 2, 3});
  CHECK(metric.noise < 0.01);
  const Interpolation between(lesson, metric, {0, 1, 2, 3});
  for (std::size_t i = 0; i < 4; ++i) {
    const Interpolation::Expected expected = between.expected(lesson.points[i]);
    CHECK(expected.costs[1] == doctest::Approx(lesson.points[i].costs[1]).epsilon(0.02));
    CHECK(expected.unknown[1] < 0.02);
  }
  const double middle = (lesson.points[1].costs[1] + lesson.points[2].costs[1]) / 2;
  LessonPoint point = lesson.points[1];
  point.values[0] = 512;
  CHECK(between.expected(point).costs[1] == doctest::Approx(middle).epsilon(0.03));
  CHECK(between.expected(point).costs[0] == doctest::Approx(0));
  CHECK(between.expected(point).unknown[1] > between.expected(lesson.points[1]).unknown[1]);
}

TEST_CASE("what holds of a configuration tells apart sizes that lie close together") {
  std::vector<PropertyValues> problems;
  Times times;
  for (const int n : {60, 128, 252, 250, 512, 600, 1021, 1800, 2008, 4092}) {
    problems.push_back({{"n", n}});
    times.push_back({100.0, 100.0, n % 12 == 0 ? 80.0 : 150.0});
  }
  const auto facts = [](const PropertyValues& problem, std::size_t configuration) {
    return std::vector<bool>{configuration < 2 || problem.at("n").as_integer() % 12 == 0};
  };
  const Lesson lesson = lesson_of(problems, LossMatrix(times), {}, std::vector<std::size_t>{0, 1, 2}, facts);
  std::vector<std::size_t> all(problems.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Metric metric = fitted_metric(lesson, all);
  CHECK(metric.facts > 0);
  const Interpolation between(lesson, metric, all);
  const auto advantage = [&](int n) {
    LessonPoint point;
    for (const Feature& feature : lesson.features) {
      point.values.push_back(*feature_value(feature.expression, {{"n", n}}));
    }
    point.facts = lesson.facts_at({{"n", n}});
    const std::vector<double> costs = between.expected(point).costs;
    return costs[0] - costs[2];
  };
  // What times cost whose logarithms are this far apart.
  const double far = cost_of(std::expm1(0.2));
  CHECK(advantage(1200) > 0.05);
  CHECK(advantage(1208) < -far);
  CHECK(advantage(480) > 0.05);
  CHECK(advantage(488) < -far);
}

}  // namespace
}  // namespace tuner::search

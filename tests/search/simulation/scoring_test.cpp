#include "search/simulation/scoring.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "search/strategy/prng.hpp"

namespace tuner::search {
namespace {

using doctest::Approx;

std::vector<ScoredRow> rows_of(const std::vector<double>& times_ns) {
  std::vector<ScoredRow> rows;
  for (const double time : times_ns) rows.push_back({time});
  return rows;
}

/// Visits of cost 1 each.
std::vector<ScoredVisit> visits_of(const std::vector<double>& times_ns) {
  std::vector<ScoredVisit> visits;
  for (const double time : times_ns) visits.push_back({time, static_cast<double>(visits.size() + 1)});
  return visits;
}

/// Rows of a space with many ties, failures and a long tail.
std::vector<double> awkward_times(std::size_t count) {
  Prng prng(11);
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(prng.below(7) == 0 ? 0 : 100.0 + std::floor(std::pow(static_cast<double>(prng.below(60)), 1.5)));
  }
  return times;
}

/// C(n - r, m) / C(n, m) by logarithms of factorials.
double chance_of_missing(double n, double r, double m) {
  if (n - r < m) return 0;
  return std::exp(std::lgamma(n - r + 1) - std::lgamma(n - r - m + 1) - std::lgamma(n + 1) + std::lgamma(n - m + 1));
}

TEST_CASE("random search of four rows is what counting every draw by hand gives") {
  const Yardstick yardstick(rows_of({400, 100, 0, 200}), 6);
  CHECK(yardstick.optimum_ns() == 100);
  const std::span<const double> random = yardstick.random();
  CHECK(random[0] == Approx((1 + 0.5 + 0.25 + 0) / 4));
  CHECK(random[1] == Approx((1 + 1 + 1 + 0.5 + 0.5 + 0.25) / 6));  // of the six pairs
  CHECK(random[2] == Approx((1 + 1 + 1 + 0.5) / 4));               // one of four is left out
  CHECK(random[3] == Approx(1));
  CHECK(random[4] == Approx(1));  // nothing is left to draw
  CHECK(random[5] == Approx(1));
}

TEST_CASE("random search is the formula with binomial coefficients, in a large space too") {
  std::vector<double> sorted;
  for (int i = 0; i < 15000; ++i) sorted.push_back(100 + std::sqrt(static_cast<double>(i)));
  constexpr double kRows = 18000;
  const std::vector<double> random = expected_random_fractions(sorted, 18000, 200);
  for (const int m : {1, 2, 25, 100, 200}) {
    double sum = 0;
    for (int r = 1; r <= 15000; ++r) {
      sum += sorted[0] / sorted[static_cast<std::size_t>(r) - 1] *
             (chance_of_missing(kRows, r - 1, m) - chance_of_missing(kRows, r, m));
    }
    CHECK(random[static_cast<std::size_t>(m) - 1] == Approx(sum).epsilon(1e-7));
  }
}

TEST_CASE("random search is what drawing at random gives, ties and failures included") {
  const std::vector<double> times = awkward_times(300);
  constexpr std::size_t kBudget = 40;
  const Yardstick yardstick(rows_of(times), kBudget);
  std::vector<double> sums(kBudget, 0.0);
  std::vector<double> order = times;
  Prng prng(5);
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    for (std::size_t j = 0; j < kBudget; ++j) std::swap(order[j], order[j + prng.below(order.size() - j)]);
    const std::vector<double> found = yardstick.fractions(visits_of({order.begin(), order.begin() + kBudget}));
    for (std::size_t j = 0; j < kBudget; ++j) sums[j] += found[j];
  }
  // The standard deviation of a fraction is at most 0.5, so five standard errors are at most 0.018.
  for (std::size_t j = 0; j < kBudget; ++j) CHECK(std::abs(sums[j] / kDraws - yardstick.random()[j]) < 0.018);
}

TEST_CASE("a curve keeps the best so far, is 0 before anything ran, and goes on after the end of the run") {
  const Yardstick yardstick(rows_of({100, 200, 400, 0}), 6);
  CHECK(yardstick.fractions(visits_of({0, 400, 200, 400})) == std::vector<double>{0, 0.25, 0.5, 0.5, 0.5, 0.5});
  CHECK(yardstick.fractions(visits_of({100})) == std::vector<double>{1, 1, 1, 1, 1, 1});
  CHECK(yardstick.fractions({}) == std::vector<double>{0, 0, 0, 0, 0, 0});
}

TEST_CASE("the score is 0 for random search, 1 for the optimum at once, negative below random") {
  const Yardstick yardstick(rows_of(awkward_times(500)), 200);
  const std::vector<double> random(yardstick.random().begin(), yardstick.random().end());
  CHECK(yardstick.score(random) == Approx(0));
  CHECK(yardstick.score(std::vector<double>(200, 1.0)) == Approx(1));
  std::vector<double> halfway = random;
  for (double& value : halfway) value += (1 - value) / 2;
  CHECK(yardstick.score(halfway) == Approx(0.5));
  CHECK(yardstick.score(std::vector<double>(200, 0.0)) < -1);
}

TEST_CASE("where random search has seen everything nothing is left to be better at") {
  const Yardstick yardstick(rows_of({100, 200, 400}), 10);
  // Random: 7/12, 5/6, 1, 1, ... Only the first two count.
  CHECK(yardstick.score(std::vector<double>{0.5, 1, 1, 1, 1, 1, 1, 1, 1, 1}) ==
        Approx(((0.5 - 7.0 / 12) / (5.0 / 12) + 1) / 2));
  CHECK(Yardstick(rows_of({100}), 3).score(std::vector<double>{1, 1, 1}) == 0);
}

TEST_CASE("visits count when they are paid for") {
  const std::vector<ScoredRow> rows{{100, 0.5}, {200, 1.5}};
  const Yardstick yardstick(rows, 3);
  const std::vector<ScoredVisit> visits{{200, 1.5}, {100, 2.0}};
  CHECK(yardstick.fractions(visits) == std::vector<double>{0, 1, 1});
  // Two orders: the optimum after 0.5 units, or the other row after 1.5 and the optimum after 2.
  CHECK(yardstick.random()[0] == Approx(0.5).epsilon(0.05));
  CHECK(yardstick.random()[1] == 1);
  CHECK(yardstick.random()[2] == 1);
}

TEST_CASE("random search by costs that hardly differ is random search by evaluations") {
  std::vector<ScoredRow> rows = rows_of(awkward_times(400));
  const Yardstick exact(rows, 100);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].cost = i % 2 == 0 ? 1 : 1 - 1e-9;
  const Yardstick drawn(rows, 100);
  for (std::size_t i = 0; i < 100; ++i) CHECK(std::abs(exact.random()[i] - drawn.random()[i]) < 0.02);
}

TEST_CASE("an estimate is the mean and its standard error") {
  const std::vector<double> values{1, 2, 3, 6};
  CHECK(estimate(values).mean == 3);
  CHECK(estimate(values).standard_error == Approx(std::sqrt(14.0 / 3 / 4)));
  CHECK(estimate(std::vector<double>{5}).mean == 5);
  CHECK(estimate(std::vector<double>{5}).standard_error == 0);
  const std::vector<Estimate> estimates{{1, 3}, {2, 4}};
  CHECK(average(estimates).mean == 1.5);
  CHECK(average(estimates).standard_error == 2.5);
}

TEST_CASE("the score of several runs has their means, hits, and evaluations until the first hit") {
  const Yardstick yardstick(rows_of({95, 100, 200, 400, 800, 1600}), 4);
  const std::vector<std::vector<double>> curves{{0.5, 0.95, 0.95, 1}, {0.2, 0.2, 0.4, 0.4}};
  const Score score = score_of(yardstick, curves);
  CHECK(score.fraction[1].mean == Approx(0.575));
  CHECK(score.fraction[1].standard_error == Approx(0.375));
  CHECK(score.hit95[0].mean == 0);
  CHECK(score.hit95[1].mean == 0.5);
  CHECK(score.to_95.mean == 3);  // 2, and 4 for the run that never gets there
  CHECK(score.score.mean == Approx((yardstick.score(curves[0]) + yardstick.score(curves[1])) / 2));

  const std::vector<Score> both{score, score_of(yardstick, std::vector<std::vector<double>>{{1, 1, 1, 1}})};
  const Score mean = average(both);
  CHECK(mean.score.mean == Approx((score.score.mean + 1) / 2));
  CHECK(mean.score.standard_error == Approx(score.score.standard_error / 2));
  CHECK(mean.hit95[3].mean == Approx(0.75));
  CHECK(mean.to_95.mean == 2);
}

}  // namespace
}  // namespace tuner::search

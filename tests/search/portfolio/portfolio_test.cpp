#include "search/portfolio/portfolio.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "search/strategy/prng.hpp"
#include "tuner/error.hpp"

namespace tuner::search {
namespace {

using Times = std::vector<std::vector<std::optional<double>>>;
using Members = std::vector<std::size_t>;

constexpr std::optional<double> kNone;

/// What the matrices of tests look like.
enum class Shape { independent, near_ties, clusters, exact_ties };

/// A tenth of the pairs have no time; some problems may have none at all.
Times random_times(Prng& prng, Shape shape, std::size_t problems, std::size_t configurations) {
  std::vector<double> quality;
  for (std::size_t i = 0; i < 3 * configurations; ++i) quality.push_back(1 + 0.3 * prng.unit());
  Times times(problems, std::vector<std::optional<double>>(configurations));
  for (std::size_t problem = 0; problem < problems; ++problem) {
    const double scale = std::exp(10 * prng.unit());
    for (std::size_t i = 0; i < configurations; ++i) {
      if (prng.below(10) == 0) continue;
      double time = 1 + prng.unit();
      if (shape == Shape::near_ties) time = 1 + 0.04 * prng.unit();
      if (shape == Shape::clusters) time = quality[problem % 3 * configurations + i] * (1 + 0.01 * prng.unit());
      if (shape == Shape::exact_ties) time = 1 + 0.01 * static_cast<double>(prng.below(4));
      times[problem][i] = scale * time;
    }
  }
  return times;
}

std::vector<double> random_weights(Prng& prng, std::size_t problems) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < problems; ++i) weights.push_back(0.1 + prng.unit());
  return weights;
}

/// Every set of at most `most` configurations.
std::vector<Portfolio> all_sets(const LossMatrix& losses, std::size_t most) {
  std::vector<Portfolio> sets;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << losses.configurations(); ++set) {
    if (static_cast<std::size_t>(std::popcount(set)) > most) continue;
    Members members;
    for (std::size_t i = 0; i < losses.configurations(); ++i) {
      if ((set >> i & 1) != 0) members.push_back(i);
    }
    sets.push_back(evaluate_portfolio(losses, members));
  }
  return sets;
}

std::size_t problems_without_time(const LossMatrix& losses) {
  std::size_t count = 0;
  for (std::size_t problem = 0; problem < losses.problems(); ++problem) count += losses.best(problem) ? 0 : 1;
  return count;
}

void check_smallest(const LossMatrix& losses, const std::vector<Portfolio>& sets, double within) {
  std::size_t fewest = losses.configurations() + 1;
  double least = LossMatrix::kUnknown;
  for (const Portfolio& set : sets) {
    if (set.worst_loss > within || set.not_served().size() > problems_without_time(losses)) continue;
    if (set.members.size() > fewest) continue;
    if (set.members.size() < fewest) least = LossMatrix::kUnknown;
    fewest = set.members.size();
    least = std::min(least, set.mean_loss);
  }
  const Portfolio found = smallest_portfolio(losses, within);
  CHECK(found.exact);
  CHECK(found.members.size() == fewest);
  CHECK(found.worst_loss <= within);
  CHECK(found.not_served().size() == problems_without_time(losses));
  CHECK(found.mean_loss == doctest::Approx(least));
  const Portfolio hasty = smallest_portfolio(losses, within, 0);
  CHECK(hasty.worst_loss <= within);
  CHECK(hasty.not_served().size() == problems_without_time(losses));
  CHECK(hasty.members.size() <= fewest + 1);
}

void check_best(const LossMatrix& losses, const std::vector<Portfolio>& sets, std::size_t count) {
  std::size_t fewest_left = losses.problems();
  double least = LossMatrix::kUnknown;
  for (const Portfolio& set : sets) {
    const std::size_t left = set.not_served().size();
    if (set.members.size() > count || left > fewest_left) continue;
    least = left < fewest_left ? set.mean_loss : std::min(least, set.mean_loss);
    fewest_left = left;
  }
  const Portfolio found = best_portfolio(losses, count);
  CHECK(found.exact);
  CHECK(found.members.size() <= count);
  CHECK(found.not_served().size() == fewest_left);
  // Which problems are left unserved when some must be is weighed too: only then is the mean no measure.
  if (fewest_left == problems_without_time(losses)) CHECK(found.mean_loss == doctest::Approx(least));
}

TEST_CASE("a portfolio is as small and as good as the best of all sets, on hundreds of random matrices") {
  Prng prng(20);
  for (int round = 0; round < 400; ++round) {
    const auto shape = static_cast<Shape>(round % 4);
    const std::size_t problems = 3 + prng.below(14);
    const std::size_t configurations = 2 + prng.below(8);
    CAPTURE(round);
    const LossMatrix losses(random_times(prng, shape, problems, configurations), random_weights(prng, problems));
    const std::vector<Portfolio> sets = all_sets(losses, configurations);
    for (const double within : {0.0, 0.02, 0.2}) check_smallest(losses, sets, within);
    for (const std::size_t count : {1, 2, 3, 5}) check_best(losses, sets, count);
  }
}

TEST_CASE("a curve goes down to no loss, a member at a time") {
  Prng prng(3);
  const LossMatrix losses(random_times(prng, Shape::clusters, 60, 50));
  const std::vector<Portfolio> curve = portfolio_curve(losses);
  REQUIRE(curve.size() > 3);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    CHECK(curve[i].members.size() == i + 1);
    if (i > 0) CHECK(curve[i].mean_loss < curve[i - 1].mean_loss);
    if (i < 3) CHECK(curve[i].mean_loss == doctest::Approx(best_portfolio(losses, i + 1).mean_loss));
  }
  CHECK(curve.size() <= kMostMembers);
  CHECK((curve.size() == kMostMembers || curve.back().mean_loss == 0));
}

TEST_CASE("each problem is served by the member that loses least there") {
  const LossMatrix losses({{100.0, 150.0, 101.0}, {300.0, 200.0, 201.0}, {kNone, 50.0, 60.0}}, {1, 1, 2});
  const Portfolio one = best_portfolio(losses, 1);
  CHECK(one.members == Members{2});
  CHECK(one.mean_loss == doctest::Approx((0.01 + 0.005 + 2 * 0.2) / 4));
  CHECK(one.worst_loss == doctest::Approx(0.2));
  const Portfolio within = smallest_portfolio(losses, 0.02);
  CHECK(within.members == Members{0, 1});  // 1 and 2 would do as well, and lose more
  CHECK(within.serves == std::vector<std::optional<std::size_t>>{0, 1, 1});
}

TEST_CASE("a configuration that was not measured somewhere serves there only if nothing can be done") {
  const LossMatrix losses({{100.0, 180.0, kNone}, {100.0, 190.0, kNone}, {kNone, 100.0, kNone}, {kNone, kNone, kNone}});
  const Portfolio one = best_portfolio(losses, 1);
  CHECK(one.members == Members{1});  // 0 would lose nothing, but not serve the third
  CHECK(one.not_served() == Members{3});
  const LossMatrix apart({{100.0, kNone}, {100.0, kNone}, {kNone, 100.0}});
  CHECK(best_portfolio(apart, 1).members == Members{0});
  CHECK(best_portfolio(apart, 1).not_served() == Members{2});
  CHECK(smallest_portfolio(apart, 0.02).members == Members{0, 1});
}

TEST_CASE("a search that is cut short says so and gives the same answer each time") {
  Prng prng(8);
  const LossMatrix losses(random_times(prng, Shape::independent, 200, 150));
  const Portfolio hasty = smallest_portfolio(losses, 0.02, 1000);
  CHECK_FALSE(hasty.exact);
  CHECK(hasty.worst_loss <= 0.02);
  CHECK(hasty.members == smallest_portfolio(losses, 0.02, 1000).members);
  const Portfolio few = best_portfolio(losses, 10, 1000);
  CHECK_FALSE(few.exact);
  CHECK(few.members == best_portfolio(losses, 10, 1000).members);
  CHECK(best_portfolio(losses, 10).mean_loss <= few.mean_loss);
}

TEST_CASE("nothing to choose from is an empty portfolio, and what is no time is refused") {
  CHECK(smallest_portfolio(LossMatrix(Times()), 0.02).members.empty());
  CHECK(portfolio_curve(LossMatrix(Times())).empty());
  CHECK(portfolio_curve(LossMatrix(Times{{kNone, kNone}})).empty());
  CHECK(best_portfolio(LossMatrix(Times{{1.0}}), 0).members.empty());
  CHECK_THROWS_AS(LossMatrix(Times{{1.0}, {1.0, 2.0}}), Error);
  CHECK_THROWS_AS(LossMatrix(Times{{0.0}}), Error);
  CHECK_THROWS_AS(LossMatrix(Times{{std::nan("")}}), Error);
  CHECK_THROWS_AS(LossMatrix(Times{{1.0}}, {1, 2}), Error);
  CHECK_THROWS_AS(LossMatrix(Times{{1.0}}, {-1}), Error);
}

}  // namespace
}  // namespace tuner::search

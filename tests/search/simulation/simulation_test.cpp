#include "search/simulation/simulation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <deque>

#include "tests/search/example_spaces.hpp"

namespace tuner::search {
namespace {

using test::triangle;

/// Times that rise with the index, 100 ns for the first, every fifth row a failure.
RecordedSpace recorded(const Space& space) {
  RecordedSpace result{space, {}};
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    RecordedOutcome row;
    if (i % 5 == 4) {
      row.outcome = Outcome::compile_error;
    } else {
      row.time_ns = 100.0 + static_cast<double>(i);
      row.relative_deviation = 0.1;
      row.registers = static_cast<int>(i);
    }
    result.rows.push_back(row);
  }
  return result;
}

std::vector<double> times(const SimulatedRun& run) {
  std::vector<double> result;
  for (const ScoredVisit& visit : run.visits) result.push_back(visit.time_ns);
  return result;
}

/// Asks what it is made with, in order, and keeps what it is told.
class Scripted final : public Strategy {
 public:
  Scripted(const Space& space, std::vector<std::uint64_t> script)
      : space_(space), script_(script.begin(), script.end()) {}
  std::vector<Configuration> ask(std::size_t count) override {
    events += 'a';
    std::vector<Configuration> result;
    for (; result.size() < count && !script_.empty(); script_.pop_front()) result.push_back(space_.at(script_.front()));
    return result;
  }
  void tell(const Observation& observation) override {
    events += 't';
    told.push_back(observation);
  }

  std::string events;
  std::vector<Observation> told;

 private:
  const Space& space_;
  std::deque<std::uint64_t> script_;
};

TEST_CASE("a run is the recorded rows in the order in which the strategy asks for them") {
  const Space space = triangle(4);
  const RecordedSpace rows = recorded(space);
  const SimulatedRun run = simulate(rows, {.strategy = "exhaustive", .budget = 7});
  CHECK(times(run) == std::vector<double>{100, 101, 102, 103, 0, 105, 106});
  CHECK(run.visits.back().done == 7);
  CHECK(run.suggestion_us.size() == 7);
  // A run may end before its budget.
  CHECK(simulate(rows, {.strategy = "exhaustive", .budget = 70}).visits.size() == 10);
}

TEST_CASE("a strategy is told what is recorded, failures without a time") {
  const Space space = triangle(4);
  Scripted strategy(space, {3, 4});
  simulate(strategy, recorded(space), {});
  REQUIRE(strategy.told.size() == 2);
  CHECK(strategy.told[0].configuration == space.at(3));
  CHECK(strategy.told[0].time_ns == 103);
  CHECK(strategy.told[0].registers == 3);
  CHECK(!strategy.told[0].spill_bytes.has_value());
  CHECK(strategy.told[1].outcome == Outcome::compile_error);
  CHECK(!strategy.told[1].time_ns.has_value());
}

TEST_CASE("a revisit costs nothing and tells the same, and a strategy that only revisits comes to an end") {
  const Space space = triangle(4);
  Scripted twice(space, {2, 2, 7, 2, 8});
  const SimulatedRun run =
      simulate(twice, recorded(space), {.given = {.seed = 3}, .budget = 3, .noise = Noise::recorded});
  CHECK(times(run) == std::vector<double>{102, 107, 108});
  CHECK(twice.told.size() == 5);
  CHECK(twice.told[0].time_ns == twice.told[3].time_ns);

  Scripted stuck(space, std::vector<std::uint64_t>(1000, 2));
  CHECK(simulate(stuck, recorded(space), {}).visits.size() == 1);
  CHECK(stuck.told.size() == 20);
}

TEST_CASE("a batch is told after its last configuration, and the last batch is what the budget leaves") {
  const Space space = triangle(4);
  Scripted strategy(space, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(simulate(strategy, recorded(space), {.budget = 8, .batch = 3}).visits.size() == 8);
  CHECK(strategy.events == "atttatttatt");
}

TEST_CASE("a run ends when its visits have cost more than the budget") {
  const Space space = triangle(4);
  RecordedSpace rows = recorded(space);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) rows.rows[i].cost = i < 3 ? 0.25 : 2;
  const SimulatedRun run = simulate(rows, {.strategy = "exhaustive", .budget = 4});
  CHECK(times(run) == std::vector<double>{100, 101, 102, 103, 0});
  CHECK(run.visits[2].done == 0.75);
  CHECK(run.visits[4].done == 4.75);
}

TEST_CASE("noise changes what is told by as much as was recorded, and what is judged by nothing") {
  const Space space = triangle(60);
  const RecordedSpace rows = recorded(space);
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < space.size(); ++i) all.push_back(i);
  Scripted strategy(space, all);
  const SimulatedRun run = simulate(strategy, rows, {.given = {.seed = 1}, .budget = 10000, .noise = Noise::recorded});
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(run.visits[i].time_ns == rows.rows[i].time_ns);
    if (rows.rows[i].time_ns == 0) continue;
    const double log_ratio = std::log(*strategy.told[i].time_ns / rows.rows[i].time_ns);
    sum += log_ratio;
    squares += log_ratio * log_ratio;
    ++count;
  }
  // 1464 values: the mean's standard error is 0.0026, that of the standard deviation 0.0018.
  CHECK(std::abs(sum / count) < 0.01);
  CHECK(std::abs(std::sqrt(squares / count) - 0.1) < 0.007);
}

TEST_CASE("the same seed gives the same visits, another seed others, with noise too") {
  const Space space = triangle(30);
  const RecordedSpace rows = recorded(space);
  const auto run = [&](std::uint64_t seed, Noise noise) {
    return times(simulate(rows, {.strategy = "model", .given = {.seed = seed}, .budget = 100, .noise = noise}));
  };
  CHECK(run(1, Noise::recorded) == run(1, Noise::recorded));
  CHECK(run(1, Noise::recorded) != run(2, Noise::recorded));
  CHECK(run(1, Noise::recorded) != run(1, Noise::none));
}

TEST_CASE("random search scores 0 within its standard error") {
  const Space space = triangle(40);
  const RecordedSpace rows = recorded(space);
  const Yardstick yardstick(scored_rows(rows), 100);
  std::vector<std::vector<double>> curves;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const SimulatedRun run = simulate(rows, {.strategy = "random", .given = {.seed = seed}, .budget = 100});
    curves.push_back(yardstick.fractions(run.visits));
  }
  const Score score = score_of(yardstick, curves);
  CHECK(score.score.standard_error < 0.05);
  CHECK(std::abs(score.score.mean) < 3 * score.score.standard_error);
}

TEST_CASE("a run that is to stop stops") {
  const Space space = triangle(4);
  const std::atomic<bool> stop{true};
  CHECK(simulate(recorded(space), {.strategy = "random", .stop = &stop}).visits.empty());
}

TEST_CASE("an unknown strategy is an error") {
  const Space space = triangle(4);
  CHECK_THROWS_AS(simulate(recorded(space), {.strategy = "rondom"}), Error);
}

}  // namespace
}  // namespace tuner::search

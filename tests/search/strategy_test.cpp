#include "search/strategy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "search/prng.hpp"

namespace tuner::search {
namespace {

/// a, b in 0 .. n-1 with a <= b.
Space triangle(int n) {
  std::vector<Value> values;
  for (int i = 0; i < n; ++i) values.emplace_back(i);
  return Space({{"a", values, 0}, {"b", values, 0}}, {{Expression::parse("a <= b"), "test"}}, Scope());
}

std::vector<std::uint64_t> all_asked(Strategy& strategy, const Space& space, std::size_t batch) {
  std::vector<std::uint64_t> result;
  for (;;) {
    const std::vector<Configuration> asked = strategy.ask(batch);
    if (asked.empty()) return result;
    for (const Configuration& configuration : asked) {
      result.push_back(space.index_of(configuration).value());
      Observation observation;
      observation.configuration = configuration;
      strategy.tell(observation);
    }
  }
}

TEST_CASE("exhaustive asks for every configuration in the order of the space") {
  const Space space = triangle(5);
  for (const char* name : {"exhaustive", "auto"}) {
    const auto strategy = make_strategy(name, space, {.seed = 1});
    CHECK(strategy->ask(0).empty());
    const std::vector<std::uint64_t> asked = all_asked(*strategy, space, 4);
    CHECK(asked.size() == space.size());
    CHECK(std::is_sorted(asked.begin(), asked.end()));
    CHECK(std::adjacent_find(asked.begin(), asked.end()) == asked.end());
    CHECK(strategy->ask(1).empty());
  }
}

TEST_CASE("random and local ask for every configuration exactly once") {
  const Space space = triangle(20);
  for (const char* name : {"random", "local"}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto strategy = make_strategy(name, space, {.seed = seed});
      const std::vector<std::uint64_t> asked = all_asked(*strategy, space, 1 + seed);
      CHECK(asked.size() == space.size());
      CHECK(std::set<std::uint64_t>(asked.begin(), asked.end()).size() == space.size());
    }
  }
}

/// How many of a 40 x 40 grid, whose times rise with the distance from one corner, are asked for before the fastest.
std::size_t asked_before_the_best(Strategy& strategy) {
  for (std::size_t asked = 0;; ++asked) {
    const std::vector<Configuration> next = strategy.ask(1);
    REQUIRE(next.size() == 1);
    Observation observation{.configuration = next[0]};
    observation.time_ns = 100.0 + next[0].choice[0] + next[0].choice[1];
    if (observation.time_ns == 100.0) return asked;
    strategy.tell(observation);
  }
}

TEST_CASE("local finds the best of a smooth space in a small part of the asks that random needs") {
  std::vector<Value> values;
  for (int i = 0; i < 40; ++i) values.emplace_back(i);
  const Space space({{"a", values, 0}, {"b", values, 0}}, {}, Scope());
  std::size_t local = 0, random = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    local += asked_before_the_best(*make_strategy("local", space, {.seed = seed}));
    random += asked_before_the_best(*make_strategy("random", space, {.seed = seed}));
  }
  CHECK(5 * local < random);
}

TEST_CASE("local goes on where every configuration fails, and counts no time of one that failed") {
  const Space space = triangle(12);
  const auto strategy = make_strategy("local", space, {.seed = 3});
  std::size_t asked = 0;
  for (std::vector<Configuration> next; !(next = strategy->ask(4)).empty(); asked += next.size()) {
    for (const Configuration& configuration : next) {
      strategy->tell({.configuration = configuration, .outcome = Outcome::compile_error, .time_ns = 1});
    }
  }
  CHECK(asked == space.size());
}

TEST_CASE("the same seed asks the same, in batches of any size") {
  const Space space = triangle(20);
  const auto order = [&](std::uint64_t seed, std::size_t batch) {
    return all_asked(*make_strategy("random", space, {.seed = seed}), space, batch);
  };
  CHECK(order(7, 1) == order(7, 13));
  CHECK(order(7, 1) != order(8, 1));
}

TEST_CASE("random's order for a seed never changes") {
  // As computed by a plain shuffle of a list of ten with SplitMix64.
  const Space space = triangle(4);
  const auto strategy = make_strategy("random", space, {.seed = 42});
  CHECK(all_asked(*strategy, space, 10) == std::vector<std::uint64_t>{3, 2, 4, 5, 8, 7, 0, 9, 6, 1});
}

TEST_CASE("random gives each order the same chance") {
  const Space space = triangle(2);  // three configurations, six orders
  std::map<std::vector<std::uint64_t>, int> seen;
  constexpr int kRounds = 12000;
  for (int seed = 0; seed < kRounds; ++seed) {
    ++seen[all_asked(*make_strategy("random", space, {.seed = static_cast<std::uint64_t>(seed)}), space, 3)];
  }
  CHECK(seen.size() == 6);
  // 2000 each; the standard deviation is 41, and the seeds are fixed, so that this fails always or never.
  for (const auto& [order, count] : seen) CHECK(std::abs(count - kRounds / 6) < 200);
}

TEST_CASE("strategies have nothing to ask in an empty space") {
  const Space space({{"a", {1, 2}, 1}}, {{Expression::parse("a > 2"), "test"}}, Scope());
  for (const std::string& name : strategy_names()) CHECK(make_strategy(name, space, {.seed = 1})->ask(5).empty());
}

TEST_CASE("an unknown strategy is told the nearest known one") {
  const Space space = triangle(2);
  CHECK(strategy_names() == std::vector<std::string>{"auto", "exhaustive", "random", "local"});
  CHECK_THROWS_WITH(make_strategy("exhausitve", space, {.seed = 1}),
                    "There is no strategy `exhausitve` (did you mean `exhaustive`?).");
  CHECK_THROWS_WITH(make_strategy("annealing", space, {.seed = 1}),
                    "There is no strategy `annealing` (known: auto, exhaustive, random, local).");
}

TEST_CASE("the generator gives SplitMix64's numbers") {
  Prng prng(1234567);
  CHECK(prng.next() == 6457827717110365317U);
  CHECK(prng.next() == 3203168211198807973U);
  CHECK(prng.next() == 9817491932198370423U);
}

TEST_CASE("numbers below a limit are uniform") {
  Prng prng(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[prng.below(7)];
  for (const int count : counts) CHECK(std::abs(count - 10000) < 400);
  CHECK(prng.below(1) == 0);
  // Of 2^64 numbers, a third of this limit is left over: kept, it would make the lowest third twice as likely.
  constexpr std::uint64_t third = std::uint64_t{1} << 62;
  int lowest = 0;
  for (int i = 0; i < 30000; ++i) lowest += prng.below(3 * third) < third ? 1 : 0;
  CHECK(std::abs(lowest - 10000) < 400);
}

}  // namespace
}  // namespace tuner::search

#include "search/strategy/strategy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "search/strategy/halton.hpp"
#include "search/strategy/prng.hpp"
#include "tests/search/example_spaces.hpp"

namespace tuner::search {
namespace {

using namespace test;

/// A time that rises with the distance from one corner.
Observation timed(const Configuration& configuration) {
  Observation result{.configuration = configuration};
  result.time_ns = 100.0;
  for (const std::uint32_t choice : configuration.choice) *result.time_ns += choice;
  return result;
}

/// A compile error where the first choice is even, else a time.
Observation failing_half(const Configuration& configuration) {
  if (configuration.choice[0] % 2 == 1) return timed(configuration);
  return {.configuration = configuration, .outcome = Outcome::compile_error, .time_ns = 1};
}

Observation failing(const Configuration& configuration) {
  return {.configuration = configuration, .outcome = Outcome::wrong_result};
}

using Answer = Observation (*)(const Configuration&);

/// Everything that `strategy` asks for, `batch` at a time, told in ask order when `lag` more were asked since.
std::vector<std::uint64_t> all_asked(Strategy& strategy, const Space& space, std::size_t batch, std::size_t lag = 0,
                                     Answer answer = timed) {
  std::vector<std::uint64_t> result;
  std::deque<Configuration> waiting;
  for (;;) {
    const std::vector<Configuration> asked = strategy.ask(batch);
    REQUIRE(asked.size() <= batch);
    for (const Configuration& configuration : asked) result.push_back(space.index_of(configuration).value());
    waiting.insert(waiting.end(), asked.begin(), asked.end());
    for (; waiting.size() > (asked.empty() ? 0 : lag); waiting.pop_front()) strategy.tell(answer(waiting.front()));
    if (asked.empty()) return result;
  }
}

bool is_each_once(std::vector<std::uint64_t> asked, const Space& space) {
  std::sort(asked.begin(), asked.end());
  return asked.size() == space.size() && std::adjacent_find(asked.begin(), asked.end()) == asked.end();
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

TEST_CASE("every strategy asks for every configuration exactly once, whatever the batch and the delay of the answers") {
  const Space space = triangle(20);
  for (const std::string& name : strategy_names()) {
    CAPTURE(name);
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      for (const std::size_t lag : {0, 3, 40}) {
        for (const Answer answer : {timed, failing_half, failing}) {
          const auto strategy = make_strategy(name, space, {.seed = seed, .budget = 30});
          CHECK(is_each_once(all_asked(*strategy, space, 1 + 3 * seed, lag, answer), space));
          CHECK(strategy->ask(1).empty());
        }
      }
    }
  }
}

TEST_CASE("every strategy works in the smallest spaces") {
  for (int n = 1; n <= 3; ++n) {
    const Space space = triangle(n);
    for (const std::string& name : strategy_names()) {
      CAPTURE(name);
      CHECK(is_each_once(all_asked(*make_strategy(name, space, {.seed = 1, .budget = 1}), space, 1), space));
      CHECK(is_each_once(all_asked(*make_strategy(name, space, {.seed = 2}), space, 100), space));
    }
  }
}

/// How many of a 40 x 40 grid are asked for before the fastest, which takes `best`.
std::size_t asked_before_the_best(Strategy& strategy, Answer answer, double best) {
  for (std::size_t asked = 0;; ++asked) {
    const std::vector<Configuration> next = strategy.ask(1);
    REQUIRE(next.size() == 1);
    const Observation observation = answer(next[0]);
    if (observation.outcome == Outcome::ok && *observation.time_ns == best) return asked;
    strategy.tell(observation);
  }
}

TEST_CASE("the model finds the best of a smooth space in a part of the asks that random needs") {
  const Space space = grid(2, 40);
  const auto total = [&](const char* name, Answer answer, double best) {
    std::size_t result = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto strategy = make_strategy(name, space, {.seed = seed, .budget = 400});
      result += asked_before_the_best(*strategy, answer, best);
    }
    return result;
  };
  CHECK(3 * total("model", timed, 100) < total("random", timed, 100));
  CHECK(2 * total("model", failing_half, 101) < total("random", failing_half, 101));
}

TEST_CASE("quasi-random points take the values of each parameter equally often, where random ones do not") {
  const Space space = grid(5, 10);
  const auto unevenness = [&](const auto& drawn_with_seed) {
    int worst = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<std::vector<int>> seen(5, std::vector<int>(10));
      for (const Configuration& configuration : drawn_with_seed(seed)) {
        for (std::size_t i = 0; i < 5; ++i) ++seen[i][configuration.choice[i]];
      }
      for (const std::vector<int>& counts : seen) {
        for (const int count : counts) worst = std::max(worst, std::abs(count - 6));
      }
    }
    return worst;
  };
  CHECK(unevenness([&](std::uint64_t seed) {
          ScrambledHalton points(5, seed);
          std::vector<Configuration> drawn;
          for (int i = 0; i < 60; ++i) drawn.push_back(space.at_point(points.next()));
          return drawn;
        }) <= 4);
  CHECK(unevenness([&](std::uint64_t seed) { return make_strategy("random", space, {.seed = seed})->ask(60); }) > 7);
}

TEST_CASE("the first quasi-random point is uniform over the space, and so is its twentieth") {
  const Space space = triangle(3);  // six configurations, more of them with a small `a`
  for (const std::size_t rank : {0, 19}) {
    std::vector<int> counts(space.size());
    constexpr std::uint64_t kRounds = 6000;
    for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
      ScrambledHalton points(2, seed);
      for (std::size_t i = 0; i < rank; ++i) points.next();
      ++counts[space.index_of(space.at_point(points.next())).value()];
    }
    for (const int count : counts) CHECK(std::abs(count - 1000) < 150);
  }
}

TEST_CASE("points lie in the unit cube, and the first of them in different parts of each side") {
  ScrambledHalton points(30, 1);  // the last base is 113
  std::vector<std::set<int>> parts(30);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double>& point = points.next();
    for (std::size_t j = 0; j < 30; ++j) {
      CHECK(point[j] >= 0);
      CHECK(point[j] < 1);
      parts[j].insert(static_cast<int>(point[j] * 10));
    }
  }
  for (const std::set<int>& seen : parts) CHECK(seen.size() == 10);
}

TEST_CASE("no strategy looks at all of a huge space before it answers") {
  const Space space = grid(12, 10);
  for (const std::string& name : strategy_names()) {
    CAPTURE(name);
    const auto strategy = make_strategy(name, space, {.seed = 5, .budget = 200});
    std::set<Configuration> seen;
    for (int i = 0; i < 20; ++i) {
      for (const Configuration& configuration : strategy->ask(8)) {
        CHECK(seen.insert(configuration).second);
        strategy->tell(timed(configuration));
      }
    }
    CHECK(seen.size() == 160);
  }
}

TEST_CASE("what is promising is asked for first, and nothing twice") {
  const Space space = triangle(12);
  const auto pair = [](std::uint32_t a, std::uint32_t b) { return Configuration{{a, b}}; };
  for (const std::string& name : strategy_names()) {
    CAPTURE(name);
    StrategyOptions options{.seed = 1, .budget = 40};
    // Not valid, not a choice of this space, not of this space at all, and one twice.
    options.promising = {pair(5, 2), pair(3, 99), {{1}}, pair(2, 7), pair(2, 7), pair(0, 0)};
    for (const std::size_t batch : {1, 2, 7}) {
      const auto asked = all_asked(*make_strategy(name, space, options), space, batch, 3);
      CHECK(is_each_once(asked, space));
      CHECK(space.at(asked[0]) == pair(2, 7));
      CHECK(space.at(asked[1]) == pair(0, 0));
    }
  }
}

TEST_CASE("promising configurations that mislead cost five asks at most") {
  const Space space = grid(2, 40);
  StrategyOptions options{.seed = 3};
  for (std::uint32_t i = 0; i < 20; ++i) options.promising.push_back({{39, 39 - i}});
  const std::vector<Configuration> asked = make_strategy("random", space, options)->ask(20);
  for (std::size_t i = 0; i < 5; ++i) CHECK(asked[i] == options.promising[i]);
  const std::vector<Configuration> cold = make_strategy("random", space, {.seed = 3})->ask(15);
  CHECK(std::equal(asked.begin() + 5, asked.end(), cold.begin()));
}

/// How many of the promising ones are among the first `count` asks of `random`, told one by one.
std::size_t promising_among(std::size_t count, const StrategyOptions& options, Answer answer) {
  const Space space = grid(3, 20);
  const auto strategy = make_strategy("random", space, options);
  std::size_t result = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Configuration next = strategy->ask(1).at(0);
    result += std::find(options.promising.begin(), options.promising.end(), next) != options.promising.end() ? 1 : 0;
    strategy->tell(answer(next));
  }
  return result;
}

TEST_CASE("further promising configurations are asked for only while they are the faster ones") {
  StrategyOptions good{.seed = 3}, bad{.seed = 3};
  for (std::uint32_t i = 0; i < 18; ++i) {
    good.promising.push_back({{i % 3, i / 3 % 3, i / 9}});
    bad.promising.push_back({{19 - i % 3, 19 - i / 3 % 3, 19 - i / 9}});
  }
  CHECK(promising_among(10, good, timed) == 8);
  CHECK(promising_among(30, good, timed) == 18);
  CHECK(promising_among(30, bad, timed) == 5);
  CHECK(promising_among(30, good, failing) == 5);
}

TEST_CASE("of what is promising, those are asked for first that differ in several parameters") {
  StrategyOptions options{.seed = 3};
  options.promising = {{{0, 0, 0}}, {{0, 0, 1}}, {{0, 1, 1}}, {{1, 0, 1}}, {{1, 1, 0}}, {{2, 2, 2}}, {{3, 3, 3}}};
  const std::vector<Configuration> asked = make_strategy("random", grid(3, 20), options)->ask(5);
  CHECK(asked == std::vector<Configuration>{{{0, 0, 0}}, {{0, 1, 1}}, {{1, 0, 1}}, {{1, 1, 0}}, {{2, 2, 2}}});
}

TEST_CASE("the model goes on from what is promising") {
  const Space space = grid(6, 10);  // too large to meet the corner by chance
  StrategyOptions options{.budget = 200};
  options.promising = {{{0, 1, 0, 0, 0, 1}}};
  double warm = 0;
  for (options.seed = 0; options.seed < 10; ++options.seed) {
    const auto strategy = make_strategy("model", space, options);
    double best = 1000;
    for (int i = 0; i < 100; ++i) {
      const Observation observation = timed(strategy->ask(1).at(0));
      best = std::min(best, *observation.time_ns);
      strategy->tell(observation);
    }
    warm += best / 10;
  }
  CHECK(warm < 102);
}

TEST_CASE("the same seed and the same answers give the same asks") {
  const Space space = triangle(20);
  for (const std::string& name : strategy_names()) {
    CAPTURE(name);
    const auto order = [&](std::uint64_t seed) {
      return all_asked(*make_strategy(name, space, {.seed = seed, .budget = 60}), space, 4, 6, failing_half);
    };
    CHECK(order(7) == order(7));
    if (name != "exhaustive") CHECK(order(7) != order(8));
  }
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
  const Space space({{"a", {1, 2}, 1}}, {constraint("a > 2")}, {});
  for (const std::string& name : strategy_names()) CHECK(make_strategy(name, space, {.seed = 1})->ask(5).empty());
}

TEST_CASE("an unknown strategy is told the nearest known one") {
  const Space space = triangle(2);
  CHECK(strategy_names() == std::vector<std::string>{"auto", "exhaustive", "model", "random"});
  CHECK_THROWS_WITH(make_strategy("exhausitve", space, {.seed = 1}),
                    "There is no strategy `exhausitve` (did you mean `exhaustive`?).");
  CHECK_THROWS_WITH(make_strategy("tabu", space, {.seed = 1}),
                    "There is no strategy `tabu` (known: auto, exhaustive, model, random).");
}

TEST_CASE("a strategy of earlier versions is told its successor") {
  CHECK_THROWS_WITH(require_strategy("genetic"), "The strategy `genetic` is no longer there: use `model`.");
  for (const char* name : {"quasi_random", "local", "climb", "annealing"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(require_strategy(name), doctest::Contains("is no longer there: use `"));
  }
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

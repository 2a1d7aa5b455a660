#include "tuner/page/effects.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tuner/page/table.hpp"

namespace tuner::page {
namespace {

cache::Trial timed(const std::string& configuration, double time_ns) {
  cache::Trial trial;
  trial.configuration = configuration;
  trial.time_ns = time_ns;
  return trial;
}

const ValueEffect& value_of(const ParameterEffect& effect, const std::string& value) {
  for (const ValueEffect& one : effect.values) {
    if (one.value == value) return one;
  }
  FAIL("no such value");
  return effect.values.front();
}

TEST_CASE("configurations become a table whose values are in order, numbers first") {
  const Table table = table_of(std::vector{timed("A=16,MODE=none", 1), timed("A=2,MODE=all", 1), timed("A=2", 1),
                                           timed("MODE=\"a,b\",A=none", 1), timed("nonsense", 1)});
  REQUIRE(table.parameters.size() == 2);
  CHECK(table.parameters[0].name == "A");
  CHECK(table.parameters[0].values == std::vector<std::string>{"2", "16", "none"});
  CHECK(table.parameters[1].values == std::vector<std::string>{"none", "all", "\"a,b\""});
  const auto row = [&](std::size_t trial) {
    const auto numbers = table.row(trial);
    return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
  };
  CHECK(row(0) == std::vector<std::uint32_t>{1, 0});
  CHECK(row(1) == std::vector<std::uint32_t>{0, 1});
  CHECK(row(2).empty());
  CHECK(row(3) == std::vector<std::uint32_t>{2, 2});
  CHECK(row(4).empty());
}

TEST_CASE("a value costs what it costs where everything else is the same") {
  // UNROLL=1 takes twice as long whatever BLOCK is; BLOCK=64 takes a tenth more.
  const std::vector<cache::Trial> trials{timed("BLOCK=32,UNROLL=1", 200), timed("BLOCK=32,UNROLL=2", 100),
                                         timed("BLOCK=64,UNROLL=1", 220), timed("BLOCK=64,UNROLL=2", 110),
                                         timed("BLOCK=128,UNROLL=2", 300)};
  const auto effects = parameter_effects(table_of(trials), trials, "BLOCK=32,UNROLL=2");
  REQUIRE(effects.size() == 2);
  const ParameterEffect& block = effects[0];  // BLOCK=128 is the worst there is
  CHECK(block.name == "BLOCK");
  CHECK(*block.range == doctest::Approx(3));
  CHECK(*value_of(block, "64").ratio == doctest::Approx(1.1));
  CHECK(value_of(block, "64").compared == 2);
  CHECK(*value_of(block, "64").around_winner == doctest::Approx(1.1));
  const ParameterEffect& unroll = effects[1];
  CHECK(*unroll.range == doctest::Approx(2));
  CHECK(*value_of(unroll, "2").ratio == doctest::Approx(1));
  CHECK(*value_of(unroll, "1").ratio == doctest::Approx(2));
  CHECK(*value_of(unroll, "1").around_winner == doctest::Approx(2));
  CHECK(*value_of(unroll, "1").best_ns == 200);
  CHECK(value_of(unroll, "2").timed == 3);
}

TEST_CASE("what failed, was stopped early or has nothing beside it says nothing") {
  std::vector<cache::Trial> trials{timed("A=1,B=1", 100), timed("A=2,B=2", 100), timed("A=1,B=2", 900),
                                   timed("A=2,B=1", 50)};
  trials[2].censored = true;
  trials[3].outcome = Outcome::wrong_result;
  for (const ParameterEffect& effect : parameter_effects(table_of(trials), trials, "")) {
    CAPTURE(effect.name);
    CHECK_FALSE(effect.range);
    for (const ValueEffect& value : effect.values) {
      CHECK_FALSE(value.ratio);
      CHECK_FALSE(value.around_winner);
      CHECK(value.timed == 1);
    }
  }
  CHECK(parameter_effects({}, {}, "").empty());
}

}  // namespace
}  // namespace tuner::page

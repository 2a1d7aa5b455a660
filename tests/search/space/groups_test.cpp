#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "search/space/constraint_compiler.hpp"
#include "search/space/constraint_program.hpp"
#include "search/space/valid_set.hpp"
#include "tests/search/example_spaces.hpp"
#include "tests/search/space/random_expression.hpp"
#include "tests/search/space/whole_product.hpp"

namespace tuner::search {
namespace {

using namespace test;

/// Parameters that take turns in two or three groups, and constraints within each.
struct Grouped {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  Scope constants;

  explicit Grouped(std::uint64_t seed) {
    test::RandomExpressions random(seed);
    constants.accept_name("none");
    const std::uint64_t count = 4 + random.below(3);
    const std::uint64_t groups = 2 + random.below(2);
    parameters = random.parameters(count, 4);
    for (std::uint64_t group = 0; group < groups; ++group) {
      std::string names;
      for (std::uint64_t i = group; i < count; i += groups) names += parameters[i].name;
      for (std::uint64_t i = 0, parts = random.below(3); i < parts; ++i) {
        // Guarded as a rule, so that not every space has a fault.
        std::string text = random.condition(names, 2);
        if (random.below(4) != 0)
          text = "(" + text + ") and " + names[0] + " > 0 and " + names.back() + " not in (none, 0)";
        constraints.push_back(constraint(text));
      }
    }
  }
};

struct Expected {
  std::vector<Configuration> valid;
  std::optional<Configuration> fault;
};

Expected brute_force(const Grouped& example) {
  Expected result;
  const Space judge(example.parameters, example.constraints, example.constants, Listing::when_needed);
  Configuration configuration{std::vector<std::uint32_t>(example.parameters.size())};
  do {
    try {
      if (!judge.why_invalid(configuration)) result.valid.push_back(configuration);
    } catch (const ExpressionError&) {
      if (!result.fault) result.fault = configuration;
    }
  } while (next_choice(example.parameters, configuration.choice));
  return result;
}

void check_message(const Grouped& example, const Configuration& fault, const std::string& message) {
  CAPTURE(message);
  if (message.find(" cannot be evaluated. ") != std::string::npos) return;  // what is wrong uses no parameter
  const std::size_t place = message.find(" cannot be evaluated for ");
  REQUIRE(place != std::string::npos);
  const std::string settings = message.substr(place, message.find(". In `") - place);
  std::size_t named = 0;
  for (std::size_t i = 0; i < example.parameters.size(); ++i) {
    const Parameter& parameter = example.parameters[i];
    if (settings.find(parameter.name + "=") == std::string::npos) continue;
    ++named;
    CHECK(settings.find(parameter.name + "=" + parameter.values[fault.choice[i]].text()) != std::string::npos);
  }
  CHECK(named > 0);
}

TEST_CASE("groups in turns give the order, the places, the neighbours and the faults of a filter over everything") {
  int faults = 0, several = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Grouped example(seed);
    std::string text;
    for (const Constraint& each : example.constraints) text += each.expression.text() + "\n";
    CAPTURE(seed);
    CAPTURE(text);
    const Expected expected = brute_force(example);
    if (expected.fault) {
      ++faults;
      try {
        const Space space(example.parameters, example.constraints, example.constants);
        FAIL("no fault was found");
      } catch (const ExpressionError& error) {
        check_message(example, *expected.fault, error.what());
      }
      continue;
    }
    const Space space(example.parameters, example.constraints, example.constants);
    REQUIRE(space.size() == expected.valid.size());
    if (space.size() > 1) ++several;
    for (std::uint64_t i = 0; i < space.size(); ++i) {
      REQUIRE(space.at(i) == expected.valid[i]);
      REQUIRE(space.index_of(expected.valid[i]) == i);
    }
    test::RandomExpressions random(seed);
    for (int i = 0; i < 20; ++i) {
      Configuration from;
      for (const Parameter& parameter : example.parameters) {
        from.choice.push_back(static_cast<std::uint32_t>(random.below(parameter.values.size())));
      }
      check_neighbours(space, expected.valid, from);
      if (space.size() > 0) check_neighbours(space, expected.valid, space.at(random.below(space.size())));
    }
  }
  CHECK(faults > 20);
  CHECK(several > 50);
}

TEST_CASE("neighbours come by parameter and then by value") {
  const Space space({{"a", {1, 2, 3}, 1}, {"b", {1, 2}, 1}, {"c", {1, 2}, 1}}, {constraint("a != c + 1")}, {});
  const auto texts = [&](Neighbourhood neighbourhood) {
    std::string result;
    for (const Configuration& each : space.neighbours(Configuration{{0, 0, 0}}, neighbourhood)) {
      for (const std::uint32_t choice : each.choice) result += std::to_string(choice);
      result += ' ';
    }
    return result;
  };
  CHECK(texts(Neighbourhood::adjacent) == "010 001 ");
  CHECK(texts(Neighbourhood::hamming1) == "200 010 001 ");
  CHECK(texts(Neighbourhood::hamming2) == "101 210 011 ");
}

/// Five groups of three parameters in turns: 10^15 combinations.
Space large() {
  std::vector<Parameter> parameters;
  for (const char* of : {"a", "b", "c"}) {
    for (int group = 0; group < 5; ++group) parameters.push_back({of + std::to_string(group), integers(10, 1), 1});
  }
  std::vector<Constraint> constraints;
  for (int group = 0; group < 5; ++group) {
    const std::string n = std::to_string(group);
    constraints.push_back(constraint("a" + n + " * b" + n + " % c" + n + " == 0"));
  }
  return Space(parameters, constraints, {});
}

/// How often each combination of each group was drawn.
class Tally {
 public:
  void add(const Configuration& configuration) {
    for (std::size_t group = 0; group < 5; ++group) {
      ++seen_[group][{configuration.choice[group], configuration.choice[group + 5], configuration.choice[group + 10]}];
    }
    ++draws_;
  }
  /// Chi-square of each group, as standard deviations from what uniform draws give.
  void check(std::size_t combinations) const {
    for (const auto& group : seen_) {
      REQUIRE(group.size() == combinations);
      const double expected = static_cast<double>(draws_) / static_cast<double>(combinations);
      double sum = 0;
      for (const auto& entry : group) sum += (entry.second - expected) * (entry.second - expected) / expected;
      const auto freedom = static_cast<double>(combinations - 1);
      CHECK(std::fabs(sum - freedom) / std::sqrt(2 * freedom) < 5);
    }
  }

 private:
  std::map<std::array<std::uint32_t, 3>, double> seen_[5];
  std::uint64_t draws_ = 0;
};

TEST_CASE("a space of 10^15 combinations is sampled uniformly, by index and by point") {
  const Space space = large();
  CHECK(space.cartesian_size() == 1e15);
  const auto combinations = static_cast<std::size_t>(std::llround(std::pow(static_cast<double>(space.size()), 0.2)));
  CHECK(combinations * combinations * combinations * combinations * combinations == space.size());
  Tally by_index, by_point;
  Prng prng(7);
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t index = prng.below(space.size());
    const Configuration configuration = space.at(index);
    REQUIRE(space.index_of(configuration) == index);
    by_index.add(configuration);
    std::vector<double> point(15);
    for (double& coordinate : point) coordinate = static_cast<double>(prng.next() >> 11) * 0x1p-53;
    by_point.add(space.at_point(point));
  }
  by_index.check(combinations);
  by_point.check(combinations);
}

TEST_CASE(
    "the corners of the unit cube are the first and the last choices that are left, and so is what lies outside") {
  const Space space = large();
  for (const double low : {0.0, -1.0, std::nan("")}) {
    CHECK(space.at_point(std::vector<double>(15, low)) == space.at(0));
  }
  for (const double high : {std::nextafter(1.0, 0.0), 1.0, 2.0, HUGE_VAL}) {
    CHECK(space.at_point(std::vector<double>(15, high)) == space.at(space.size() - 1));
  }
  CHECK_THROWS_AS(space.at_point(std::vector<double>(14)), Error);
  const Space none({{"a", {1, 2}, 1}}, {constraint("a > 5")}, {});
  CHECK_THROWS_AS(none.at_point(std::vector<double>(1)), Error);
}

TEST_CASE("a point's coordinates choose in proportion to what follows") {
  const Space space({{"a", {1, 2}, 1}, {"b", {1, 2, 3, 4}, 1}}, {constraint("a == 2 or b == 1")}, {});
  REQUIRE(space.size() == 5);
  CHECK(space.at_point(std::vector<double>{0.19, 0.9}) == space.at(0));
  CHECK(space.at_point(std::vector<double>{0.21, 0.0}) == space.at(1));
  CHECK(space.at_point(std::vector<double>{0.21, 0.74}) == space.at(3));
}

TEST_CASE("more conditions than a state has bits for, and more values than a word has kinds for, change nothing") {
  const std::vector<Parameter> parameters = grid_parameters(30, 2);
  std::string sum = "0";
  for (const Parameter& parameter : parameters) sum += " + " + parameter.name;
  std::vector<Constraint> constraints;
  for (int i = 0; i < 29; ++i) {
    for (int j = i + 1; j < 30; ++j)  // at most one is 1
      constraints.push_back(constraint("p" + std::to_string(i) + " + p" + std::to_string(j) + " < 2"));
  }
  CHECK(Space(parameters, constraints, {}).size() == 31);
  constraints.push_back(constraint(sum + " == 1"));
  CHECK(Space(parameters, constraints, {}).size() == 30);
}

TEST_CASE("a budget that is too small ends the construction, and a diagram of many groups does not need much") {
  const std::vector<Parameter> parameters = grid_parameters(20, 4);
  std::string sum = "0";
  // Each choice gives another sum.
  for (const Parameter& parameter : parameters) sum = "(" + sum + ") * 5 + " + parameter.name;
  const Constraint tangled = constraint("(" + sum + ") % 7919 == 13");
  const ConstraintProgram program = compile_constraints(parameters, {&tangled, 1}, {});
  BuildBudget few_choices{100000, std::uint64_t{1} << 40};
  CHECK_THROWS_AS(ValidSet(program, parameters.size(), few_choices), BudgetExceeded);
  CHECK(few_choices.choices < 110000);
  BuildBudget few_bytes{std::uint64_t{1} << 60, 1 << 20};
  CHECK_THROWS_AS(ValidSet(program, parameters.size(), few_bytes), BudgetExceeded);
  const ConstraintProgram free = compile_constraints(parameters, {}, {});
  BuildBudget enough{100, 1 << 20};
  CHECK(ValidSet(free, parameters.size(), enough).size() == std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace tuner::search

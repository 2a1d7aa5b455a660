#include "search/strategy/outlook.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "search/strategy/strategy.hpp"
#include "tests/search/example_spaces.hpp"

namespace tuner::search {
namespace {

Space cube(std::string_view names = "ABC", std::int64_t values = 10) {
  std::vector<Parameter> parameters;
  for (const char name : names) {
    Parameter parameter{{name}, {}, {}};
    for (std::int64_t value = 1; value <= values; ++value) parameter.values.emplace_back(value);
    parameter.default_value = parameter.values.front();
    parameters.push_back(std::move(parameter));
  }
  return {std::move(parameters), {}, {}};
}

/// The logarithm of a time, least at A=3, B=7, C=5.
float logarithm(const Space& space, std::uint64_t index) {
  const std::vector<std::uint32_t> choice = space.at(index).choice;
  const auto off = [&](std::size_t parameter, double best) { return std::abs(choice[parameter] + 1 - best); };
  return static_cast<float>(0.3 * off(0, 3) + 0.15 * off(1, 7) + 0.06 * off(2, 5));
}

/// What is seen after all that `is_timed` were timed.
Outlook::View view_of(const Space& space, const std::function<bool(std::uint64_t)>& is_timed) {
  const Features features(space);
  Prng prng(1);
  std::vector<Timed> timed;
  std::set<std::uint64_t> known;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    if (!is_timed(i)) continue;
    timed.push_back({i, logarithm(space, i)});
    known.insert(i);
  }
  const Outlook outlook(space, features, timed, prng);
  return outlook.look([&](std::uint64_t index) { return !known.contains(index); },
                      [](std::span<const float>) { return 1.0; }, prng);
}

TEST_CASE(
    "much is believed left as long as the way leads down, and little once the best and what is next to it was timed") {
  const Space space = cube();
  const auto is_next_to_best = [&](std::uint64_t i) {
    const std::vector<std::uint32_t> choice = space.at(i).choice;
    return choice[0] >= 1 && choice[0] <= 3 && choice[1] >= 5 && choice[1] <= 7 && choice[2] >= 3 && choice[2] <= 5;
  };
  const auto every_third = [](std::uint64_t i) { return i % 3 == 0; };
  const Outlook::View far =
      view_of(space, [&](std::uint64_t i) { return every_third(i) && space.at(i).choice[0] > 4; });
  const Outlook::View near = view_of(space, [&](std::uint64_t i) { return every_third(i) || is_next_to_best(i); });
  MESSAGE("chance left from afar ", far.chance, ", and near ", near.chance);
  CHECK(far.chance > 0.2);
  CHECK(near.chance < 0.8 * far.chance);
}

TEST_CASE("a look at a large space saw one value of the last parameter") {
  const Space space = cube("ABCDEFG", 4);
  const Features features(space);
  Prng prng(1);
  std::vector<Timed> timed;
  for (std::uint64_t i = 0; i < space.size(); i += 300) timed.push_back({i, logarithm(space, i)});
  std::vector<int> seen(4);
  Outlook(space, features, timed, prng)
      .look(
          [&](std::uint64_t index) {
            ++seen[space.at(index).choice.back()];
            return true;
          },
          [](std::span<const float>) { return 1.0; }, prng);
  for (const int one : seen) CHECK(one > 800);
}

/// How many configurations a look asks about, of a space in which some random ones were timed.
std::size_t looked_at(const Space& space) {
  const Features features(space);
  Prng prng(1);
  std::vector<Timed> timed;
  for (int i = 0; i < 30; ++i) timed.push_back({prng.below(space.size()), static_cast<float>(prng.unit())});
  std::size_t count = 0;
  Outlook(space, features, timed, prng)
      .look(
          [&](std::uint64_t) {
            ++count;
            return count < 10'000;
          },
          [](std::span<const float>) { return 1.0; }, prng);
  return count;
}

TEST_CASE("a look at as many configurations as 64 bits can number never came to the end") {
  std::vector<Parameter> parameters;
  std::string all;
  for (int i = 0; i < 64; ++i) {
    const std::string name = "P" + std::to_string(i);
    parameters.push_back({name, {Value(0), Value(1)}, Value(0)});
    all += (i == 0 ? "" : " + ") + name;
  }
  const Space space(std::move(parameters), {test::constraint(all + " < 64")}, {});
  REQUIRE(space.size() == std::numeric_limits<std::uint64_t>::max());
  CHECK(looked_at(space) <= 4001);
}

TEST_CASE("a look took memory by the square of how many values there are") {
  CHECK(looked_at(cube("ABC", 200'000)) == 4000);
}

TEST_CASE("a look names six likely places and two with values that nothing has, none a step from another") {
  const Space space = cube();
  // Each value was timed with each of another parameter, but for A = 9 and 10, far from the best.
  const Outlook::View view = view_of(space, [&](std::uint64_t i) {
    const std::vector<std::uint32_t> choice = space.at(i).choice;
    return (choice[0] + choice[1] + choice[2]) % 3 == 0 && choice[0] < 8;
  });
  REQUIRE(view.places.size() > 8);
  for (std::size_t a = 0; a < 8; ++a) {
    const std::vector<std::uint32_t> one = space.at(view.places[a]).choice;
    CHECK((one[0] >= 8) == (a >= 6));
    if (a < 6) CHECK(logarithm(space, view.places[a]) < 0.7);
    for (std::size_t b = 0; b < a; ++b) {
      const std::vector<std::uint32_t> other = space.at(view.places[b]).choice;
      CHECK((one[0] != other[0]) + (one[1] != other[1]) + (one[2] != other[2]) >= 2);
    }
  }
}

TEST_CASE("a peak of a family that was behind was missed: the most promising of each is tried") {
  const Space space = cube();
  const Outlook::View view = view_of(space, [&](std::uint64_t i) { return i % 3 == 0 || logarithm(space, i) < 0.1; });
  // The best of C = 9 is 24 % slower than the best of all, the best of A = 6 more than 40 %.
  const auto has = [&](std::size_t parameter, std::uint32_t choice) {
    return std::any_of(view.places.begin(), view.places.end(), [&](std::uint64_t place) {
      return space.at(place).choice[parameter] == choice && logarithm(space, place) < 0.6;
    });
  };
  CHECK(has(2, 8));
  CHECK(has(1, 4));
  CHECK_FALSE(has(0, 5));
}

TEST_CASE("the model has a belief once it was told of five roots of the space, and renews it") {
  const Space space = cube();
  const auto strategy = make_strategy("model", space, {.seed = 3});
  std::vector<std::size_t> formed;
  for (int i = 0; i < 250; ++i) {
    const Configuration configuration = strategy->ask(1).at(0);
    const auto belief = strategy->belief();
    if (belief && (formed.empty() || formed.back() != belief->told)) formed.push_back(belief->told);
    strategy->tell(
        {.configuration = configuration, .time_ns = std::exp(logarithm(space, space.index_of(configuration).value()))});
  }
  CHECK(formed == std::vector<std::size_t>{158, 197, 246});
  CHECK(strategy->belief()->chance < 0.1);
  CHECK_FALSE(make_strategy("random", space)->belief());
}

}  // namespace
}  // namespace tuner::search

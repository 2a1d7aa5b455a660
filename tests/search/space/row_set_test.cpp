#include <doctest/doctest.h>

#include <memory>

#include "tests/search/example_spaces.hpp"

namespace tuner::search {
namespace {

using namespace test;

std::shared_ptr<const std::vector<Configuration>> rows(std::vector<Configuration> all) {
  return std::make_shared<const std::vector<Configuration>>(std::move(all));
}

TEST_CASE("a space of given configurations is that of the constraints that select them") {
  const std::vector<Parameter> parameters{{"A", {1, 2, 3, 4}, 1}, {"B", {7}, 7}, {"C", {0, 1, 2}, 0}, {"D", {1, 2}, 1}};
  const Space computed(parameters, {constraint("A * D + C <= 5 && A != C")}, {});
  std::vector<Configuration> all;
  for (std::uint64_t i = 0; i < computed.size(); ++i) all.push_back(computed.at(i));
  const Space given(parameters, rows(all), {}, {});
  REQUIRE(given.size() == computed.size());
  for (std::uint64_t i = 0; i < given.size(); ++i) {
    CHECK(given.at(i) == all[i]);
    CHECK(given.index_of(all[i]) == i);
    for (const Neighbourhood near : {Neighbourhood::adjacent, Neighbourhood::hamming1, Neighbourhood::hamming2}) {
      CHECK(given.neighbours(all[i], near) == computed.neighbours(all[i], near));
    }
  }
  for (const Configuration& other : Space(parameters, {}, {}).neighbours(all.front(), Neighbourhood::hamming2)) {
    CHECK(given.contains(other) == computed.contains(other));
    CHECK(given.why_invalid(other).has_value() == computed.why_invalid(other).has_value());
  }
}

TEST_CASE("the part of a space with one value has those of its configurations, given or not, and no others") {
  const std::vector<Parameter> parameters{{"A", {1, 2, 3}, 1}, {"B", {1, 2}, 1}};
  const Space given(parameters, rows({{{0, 0}}, {{1, 1}}, {{2, 0}}, {{2, 1}}}), {constraint("A + B < 5")}, {});
  const Space part = given.with_value(1, 1);
  REQUIRE(part.size() == 1);
  CHECK(part.text(part.at(0)) == "A=2,B=2");
  CHECK(given.with_value(0, 2).size() == 1);
  CHECK(Space(parameters, {constraint("A + B < 5")}, {}).with_value(1, 1).size() == 2);
}

TEST_CASE("constraints leave some of the given configurations, and the one that leaves none is named") {
  const std::vector<Parameter> parameters{{"A", {1, 2, 3}, 1}, {"B", {1, 2}, 1}};
  const auto given = rows({{{0, 0}}, {{1, 1}}, {{2, 0}}});
  CHECK(Space(parameters, given, {constraint("A >= 2")}, {}).size() == 2);
  const Space none(parameters, given, {constraint("A >= 2", "--where"), constraint("A == B + 3", "--where")}, {});
  CHECK(none.size() == 0);
  CHECK(none.why_empty() ==
        "No configuration is valid: the constraint `A == B + 3` (--where) rejects every configuration that the "
        "constraints before it accept; change it, or the values of A, B.");
  CHECK(Space(parameters, given, {}, {}).why_invalid({{0, 1}}) ==
        "A=1,B=2 is none of the 3 configurations that there are.");
}

TEST_CASE("given configurations in another order, twice or of another space are refused") {
  const std::vector<Parameter> parameters{{"A", {1, 2, 3}, 1}};
  for (const std::vector<Configuration>& wrong :
       {std::vector<Configuration>{{{1}}, {{0}}}, {{{1}}, {{1}}}, {{{3}}}, {{{0, 0}}}}) {
    CHECK_THROWS_AS(Space(parameters, rows(wrong), {}, {}), Error);
  }
  CHECK(Space({{"A", {5}, 5}}, rows({{{0}}}), {}, {}).size() == 1);
}

}  // namespace
}  // namespace tuner::search

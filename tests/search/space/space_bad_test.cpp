// Spaces that cannot be: each gets a sentence with the place, and none takes long.
#include <doctest/doctest.h>

#include "tests/search/example_spaces.hpp"

namespace tuner::search {
namespace {

using namespace test;

TEST_CASE("contradictory constraints make an empty space that says so, however large it would be") {
  const Space space(
      grid_parameters(40, 10),
      {constraint("p0 < p39", "k.cu:1"), constraint("p1 + p2 > 3", "k.cu:2"), constraint("p39 < p0", "k.cu:3")}, {});
  CHECK(space.size() == 0);
  CHECK(space.why_empty() ==
        "No configuration is valid: the constraint `p39 < p0` (k.cu:3) rejects every configuration that the "
        "constraints before it accept; change it, or the values of p0, p39.");
  CHECK_THROWS_AS(space.at(0), Error);
  CHECK_FALSE(space.index_of(space.defaults()).has_value());
  CHECK(space.neighbours(space.defaults(), Neighbourhood::hamming2).empty());
}

TEST_CASE("division by zero names the constraint, its place and the first configuration, in lexicographic order") {
  const std::vector<Parameter> parameters{{"a", {1, 2}, 1}, {"x", {1, 2}, 1}, {"b", {2, 0}, 2}, {"y", {3, 4}, 3}};
  CHECK(refusal(parameters, {constraint("x <= y"), constraint("a // b >= 0", "k.cu:12")}) ==
        "The constraint `a // b >= 0` (k.cu:12) cannot be evaluated for a=1,b=0. In `a // b >= 0`: `//` by zero.");
  // The group of x and y decides which configuration comes first.
  CHECK(refusal(parameters, {constraint("y % (x - 2) == 0", "k.cu:9"), constraint("a // b >= 0", "k.cu:12")}) ==
        "The constraint `a // b >= 0` (k.cu:12) cannot be evaluated for a=1,b=0. In `a // b >= 0`: `//` by zero.");
  CHECK(refusal(parameters, {constraint("y % (x - 1) == 0", "k.cu:9"), constraint("a // b >= 0", "k.cu:12")}) ==
        "The constraint `y % (x - 1) == 0` (k.cu:9) cannot be evaluated for x=1,y=3. In `y % (x - 1) == 0`: `%` by "
        "zero.");
  CHECK(refusal(parameters, {constraint("1 // 0 == 0")}) ==
        "The constraint `1 // 0 == 0` (k.cu:7) cannot be evaluated. In `1 // 0 == 0`: `//` by zero.");
}

TEST_CASE("a fault does not count where another group or another constraint leaves nothing") {
  const std::vector<Parameter> parameters{{"a", {1, 2}, 1}, {"x", {1, 2}, 1}, {"b", {2, 0}, 2}, {"y", {3, 4}, 3}};
  CHECK(refusal(parameters, {constraint("a // b >= 0"), constraint("x > y")}) == "no refusal but 0 configurations");
  CHECK(refusal(parameters, {constraint("1 // 0 == 0"), constraint("x > y")}) == "no refusal but 0 configurations");
  CHECK(refusal(parameters, {constraint("a // b >= 0"), constraint("2 < 1")}) == "no refusal but 0 configurations");
}

TEST_CASE("what a sum in pieces decides early does not hide what cannot be computed later") {
  // a > 5 is false for every a, but the division comes first in the text, and it is the same part.
  CHECK(refusal({{"a", {1, 2}, 1}, {"b", {2, 0}, 2}}, {constraint("a // b + a > 5")}) ==
        "The constraint `a // b + a > 5` (k.cu:7) cannot be evaluated for a=1,b=0. In `a // b + a > 5`: `//` by zero.");
  CHECK(refusal({{"a", {1, 2}, 1}, {"b", {2, 0}, 2}}, {constraint("b == 0 or a // b + a > 5")}) ==
        "no refusal but 2 configurations");
}

TEST_CASE("a constraint may hold where it cannot be evaluated, and is shown to hold where it always does") {
  const std::vector<Parameter> parameters{{"a", {1, 2}, 1}, {"b", {1, 0}, 1}};
  Constraint lenient = constraint("a // b < 2");
  lenient.holds_where_undefined = true;
  const Space space(parameters, {lenient}, {});
  CHECK(space.size() == 3);
  CHECK_FALSE(space.contains(space.parse("a=2,b=1")));
  CHECK(space.contains(space.parse("a=2,b=0")));
  CHECK_FALSE(space.why_invalid(space.parse("a=2,b=0")).has_value());
  CHECK(space.why_invalid(space.parse("a=2,b=1")).has_value());

  CHECK(always_holds(constraint("a * 2 + b <= 5"), parameters, {}));
  CHECK_FALSE(always_holds(constraint("a * 2 + b <= 4"), parameters, {}));
  CHECK_FALSE(always_holds(constraint("a // b >= 0"), parameters, {}));
  CHECK_FALSE(always_holds(constraint("2 < 1"), parameters, {}));
  CHECK_THROWS_AS(always_holds(constraint("c > 0"), parameters, {}), ExpressionError);
}

TEST_CASE("64-bit overflow names the constraint and the configuration") {
  const std::vector<Parameter> parameters{{"a", {1, std::int64_t{1} << 62}, 1}, {"b", {1, 2}, 1}};
  CHECK(refusal(parameters, {constraint("a * b > 0")}) ==
        "The constraint `a * b > 0` (k.cu:7) cannot be evaluated for a=4611686018427387904,b=2. In `a * b > 0`: "
        "4611686018427387904 * 2 overflows 64-bit integers.");
  CHECK(refusal(parameters, {constraint("a * b > 0 and a < 1000")}) == "no refusal but 2 configurations");
}

TEST_CASE("more configurations than 64 bits can number are refused, 2^64 - 1 are not") {
  CHECK(refusal(grid_parameters(20, 10)) ==
        "The space has more than 2^64 - 1 valid configurations; add constraints or remove values.");
  CHECK(refusal(grid_parameters(19, 10)) == "no refusal but 10000000000000000000 configurations");
  std::string product = "p0";
  for (int i = 1; i < 40; ++i) product += " + p" + std::to_string(i);
  CHECK(refusal(grid_parameters(40, 10), {constraint(product + " != 1")}) ==
        "The space has more than 2^64 - 1 valid configurations; add constraints or remove values.");
  CHECK(refusal(grid_parameters(40, 10), {constraint(product + " == 1")}) == "no refusal but 40 configurations");
}

TEST_CASE("division and remainder mean in constraints what they mean elsewhere") {
  const std::vector<Parameter> parameters{{"x", {1, 2, 3, 4}, 1}, {"n", {-7, 7}, 7}};
  const auto count = [&](std::string_view text) { return Space(parameters, {constraint(text)}, {}).size(); };
  CHECK(count("x / 2 == 1.5") == 2);
  CHECK(count("n // 2 == -4") == 4);
  CHECK(count("n % 3 == 2 and x == 1") == 1);
  CHECK(count("n % (0 - x) == -2 and x == 3") == 1);
  CHECK(count("2 <= x * 2 <= 4 < n") == 2);
  CHECK(count("x / 3 * 3 == x") == 8);
}

}  // namespace
}  // namespace tuner::search

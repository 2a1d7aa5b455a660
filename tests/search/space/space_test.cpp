#include "search/space/space.hpp"

#include <doctest/doctest.h>

#include "tests/search/example_spaces.hpp"

namespace tuner::search {
namespace {

using namespace test;

TEST_CASE("constraints prune as soon as their parameters are fixed, also as parts of one `and` and through lets") {
  std::vector<Constraint> constraints;
  std::string text = "p0 == 3";
  Scope constants;
  for (int i = 1; i < 40; ++i) {
    const std::string here = "p" + std::to_string(i), before = "p" + std::to_string(i - 1);
    constants.define("SUM" + std::to_string(i), Expression::parse(here + " + " + before));
    text += " && SUM" + std::to_string(i) + " in (6, 7) && " + here + " <= 3";
  }
  const Space space(grid_parameters(40, 10), {constraint(text)}, constants);  // anything but pruning would take forever
  CHECK(space.size() == 1);
  CHECK(space.cartesian_size() == doctest::Approx(1e40));
  CHECK(space.value(space.at(0), 39) == Value(3));
}

TEST_CASE("rows wider than a word are kept in order and found") {
  std::vector<Constraint> constraints;
  for (int i = 1; i < 38; ++i) constraints.push_back(constraint("p" + std::to_string(i) + " == 9"));
  const Space space(grid_parameters(40, 10), constraints, {});
  REQUIRE(space.size() == 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    REQUIRE(space.index_of(space.at(i)) == i);
    REQUIRE((i == 0 || space.at(i - 1) < space.at(i)));
  }
}

TEST_CASE("a space without parameters has one configuration or none") {
  const Space one({}, {}, {});
  CHECK(one.size() == 1);
  CHECK(one.text(one.at(0)).empty());
  CHECK(one.index_of(Configuration{}) == 0U);
  CHECK(one.parse("") == Configuration{});
  const Space none({}, {constraint("1 > 2")}, {});
  CHECK(none.size() == 0);
  CHECK(none.why_empty() ==
        "No configuration is valid: the constraint `1 > 2` (k.cu:7) uses no parameter and is false.");
}

TEST_CASE("an empty space names the constraint that removed the last candidates") {
  const std::vector<Parameter> parameters{{"A", {1, 2, 3}, 1}, {"B", {1, 2, 3}, 1}};
  const Space first(parameters, {constraint("A > 5", "k.cu:1"), constraint("B > 5", "k.cu:2")}, {});
  CHECK(first.why_empty() ==
        "No configuration is valid: the constraint `A > 5` (k.cu:1) rejects every one; change it, or the values of A.");
  const Space third(parameters,
                    {constraint("A > 1", "k.cu:1"), constraint("B > A", "k.cu:2"), constraint("A + B < 5", "--where"),
                     constraint("A > 7", "k.cu:9")},
                    {});
  CHECK(third.why_empty() ==
        "No configuration is valid: the constraint `A + B < 5` (--where) rejects every configuration that the "
        "constraints before it accept; change it, or the values of A, B.");
}

TEST_CASE("a configuration is told which constraint it violates") {
  Scope constants;
  constants.set("limit", 4);
  const Space space({{"A", {1, 2, 3}, 1}, {"B", {1, 2, 3}, 3}}, {constraint("A < 3"), constraint("A * B <= limit")},
                    constants);
  CHECK(space.why_invalid(space.parse("A=3,B=1")) == "A=3,B=1 violates the constraint `A < 3` (k.cu:7).");
  CHECK(space.why_invalid(space.parse("A=2,B=3")) == "A=2,B=3 violates the constraint `A * B <= limit` (k.cu:7).");
  CHECK_FALSE(space.why_invalid(space.parse("A=2,B=2")).has_value());
  CHECK_FALSE(space.contains(Configuration{{0}}));
  CHECK_FALSE(space.contains(Configuration{{0, 17}}));
}

TEST_CASE("a constraint that cannot be evaluated is named with its place and configuration") {
  const std::vector<Parameter> parameters{{"A", {1, 2}, 1}, {"B", {1, 0}, 1}, {"C", {5, 6}, 5}};
  CHECK(refusal(parameters, {constraint("C > 0"), constraint("A % B == 0", "k.cu:12")}) ==
        "The constraint `A % B == 0` (k.cu:12) cannot be evaluated for A=1,B=0. In `A % B == 0`: `%` by zero.");
  Scope constants;
  constants.define("RATIO", Expression::parse("A // B"));
  CHECK(refusal(parameters, {constraint("RATIO > 0", "k.cu:12")}, constants) ==
        "The constraint `RATIO > 0` (k.cu:12) cannot be evaluated for A=1,B=0. In `A // B`: `//` by zero. This is in "
        "the let `RATIO`.");
}

TEST_CASE("a mistake does not count where another part or constraint says no, in any order") {
  const std::vector<Parameter> parameters{{"A", {1, 2}, 1}, {"B", {1, 0}, 1}, {"C", {5, 6}, 5}};
  for (const char* text : {"B != 0 && A % B == 0", "A % B == 0 && B != 0", "A % B == 0 && C * B > 0"}) {
    CAPTURE(text);
    const Space space(parameters, {constraint(text)}, {});
    CHECK(space.size() == 4);
    CHECK(space.why_invalid(space.parse("A=1,B=0")).has_value());
  }
  CHECK(Space(parameters, {constraint("A % B == 0"), constraint("B == 1")}, {}).size() == 4);
}

TEST_CASE("unknown names are found even where no configuration would need them") {
  CHECK(refusal({{"BLOCK", {1}, 1}}, {constraint("BLOCK == 1 || BLOK > 2")}) ==
        "In `BLOCK == 1 || BLOK > 2`: `BLOK` is not known (did you mean `BLOCK`?). It belongs to the constraint `BLOCK "
        "== "
        "1 || BLOK > 2` (k.cu:7).");
  Scope constants;
  constants.define("L", Expression::parse("1 + BLOK"));
  CHECK(refusal({{"BLOCK", {1}, 1}}, {constraint("L > 1")}, constants) ==
        "In `1 + BLOK`: `BLOK` is not known (did you mean `BLOCK`?). This is in the let `L`. It belongs to the "
        "constraint `L > 1` (k.cu:7).");
}

TEST_CASE("lets that need each other are refused") {
  Scope constants;
  constants.define("A", Expression::parse("B"));
  constants.define("B", Expression::parse("A"));
  CHECK(refusal({{"p", {1}, 1}}, {constraint("A > p")}, constants).find("the let `A` refers to itself") !=
        std::string::npos);
}

TEST_CASE("lets may stand in each other, but not so deep that the stack ends") {
  Scope constants;
  constants.set("A0", 1);
  for (int i = 1; i <= 10000; ++i) {
    constants.define("A" + std::to_string(i), Expression::parse("A" + std::to_string(i - 1) + " + 1"));
  }
  CHECK(Space({{"p", {1}, 1}}, {constraint("A200 > p")}, constants).size() == 1);
  CHECK(refusal({{"p", {1}, 1}}, {constraint("A10000 > p")}, constants).find("nested too deeply") != std::string::npos);
  // Also where each let was met before at a lesser depth.
  std::vector<Constraint> constraints;
  for (int i = 1; i < 10000; i += 100) constraints.push_back(constraint("A" + std::to_string(i) + " > p"));
  CHECK(refusal({{"p", {1}, 1}}, constraints, constants).find("nested too deeply") != std::string::npos);
}

TEST_CASE("lets that double their work at each step are evaluated once each") {
  Scope constants;
  constants.define("A0", Expression::parse("p"));
  for (int i = 1; i <= 60; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    constants.define("A" + std::to_string(i), Expression::parse(before + " + " + before));
  }
  CHECK(Space({{"p", {1, 2, 3}, 1}, {"q", {1, 2}, 1}}, {constraint("A60 > q")}, constants).size() == 6);
}

TEST_CASE("bad parameters are refused with a reason") {
  CHECK(refusal({{"a", {1}, 1}, {"a", {2}, 2}}) == "The parameter `a` is declared twice; rename or remove one.");
  CHECK(refusal({{"a", {}, 1}}) == "The parameter `a` has no values; give it at least one.");
  CHECK(refusal({{"a", {1, 2, 1}, 1}}) == "The parameter `a` lists the value 1 twice; remove one.");
  CHECK(refusal({{"a", {1, 2}, 3}}) ==
        "The default 3 of the parameter `a` is not one of its values; add it or choose another.");
  CHECK(refusal({{"a=b", {1}, 1}}).find("cannot be the name of a parameter") != std::string::npos);
  CHECK(refusal({{"a", {1, 1.0, true}, 1}}) == "no refusal but 3 configurations");
}

TEST_CASE("canonical text is sorted by name and read back in any order") {
  Scope constants;
  const Space space({{"Z", {1, 2}, 2}, {"FLAG", {"-O3", "a,b=\"c\""}, "-O3"}, {"REAL", {0.5, 1.0}, 0.5}}, {},
                    constants);
  CHECK(space.text(space.defaults()) == "FLAG=-O3,REAL=0.5,Z=2");
  CHECK(space.parse("") == space.defaults());
  CHECK(space.parse(" Z = 1 , REAL=1") == Configuration{{0, 0, 1}});
  const Configuration quoted{{0, 1, 0}};
  CHECK(space.text(quoted) == "FLAG=\"a,b=\\\"c\\\"\",REAL=0.5,Z=1");
  CHECK(space.parse(space.text(quoted)) == quoted);
}

TEST_CASE("text that names no configuration is refused with a reason") {
  const Space space({{"BLOCK", {32, 64}, 32}, {"MODE", {"none", "fast"}, "none"}}, {}, {});
  const auto refused = [&](std::string_view text) {
    try {
      return "no refusal but " + space.text(space.parse(text));
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_usage);
      return std::string(error.what());
    }
  };
  CHECK(refused("BLOK=32") == "There is no parameter `BLOK` (did you mean `BLOCK`?).");
  CHECK(refused("BLOCK=48") == "48 is not a value of the parameter `BLOCK` (known: 32, 64).");
  CHECK(refused("MODE=fsat") == "fsat is not a value of the parameter `MODE` (did you mean `fast`?).");
  CHECK(refused("BLOCK") == "`BLOCK` is not of the form NAME=value; separate several with commas.");
  CHECK(refused("BLOCK=32,") == "`` is not of the form NAME=value; separate several with commas.");
  CHECK(refused("BLOCK=32,BLOCK=64") == "The parameter `BLOCK` is given twice.");
  CHECK(refused("MODE=\"none") ==
        "The value of the parameter `MODE` cannot be read. The quoted value \"none is not closed "
        "or has a bad escape.");
}

TEST_CASE("a configuration's scope has its parameters and the constants") {
  Scope constants;
  constants.set("rows", 528);
  constants.define("SLOTS", Expression::parse("DIST + 1"));
  const Space space({{"DIST", {1, 4}, 1}}, {}, constants);
  CHECK(Expression::parse("SLOTS * rows").evaluate_integer(space.scope(Configuration{{1}})) == 5 * 528);
}

TEST_CASE("a configuration of another space is refused") {
  const Space space({{"a", {1, 2}, 1}}, {}, {});
  CHECK_THROWS_AS(space.text(Configuration{{5}}), Error);
  CHECK_THROWS_AS(space.scope(Configuration{}), Error);
  CHECK_THROWS_AS(space.neighbours(Configuration{{0, 0}}, Neighbourhood::adjacent), Error);
  CHECK_THROWS_AS(space.at(2), Error);
}

}  // namespace
}  // namespace tuner::search

#include <doctest/doctest.h>

#include "search/expression/expression.hpp"

namespace tuner::search {
namespace {

std::string message(const Scope& scope, std::string_view name) {
  try {
    return "no mistake but " + scope.get(name).text();
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_description);
    return error.what();
  }
}

TEST_CASE("an inner scope extends and hides the outer one") {
  Scope outer;
  outer.set("a", 1);
  outer.set("b", 2);
  Scope inner(&outer);
  inner.set("b", 3);
  CHECK(inner.get("a") == Value(1));
  CHECK(inner.get("b") == Value(3));
  CHECK(outer.get("b") == Value(2));
  CHECK(inner.knows("a"));
  CHECK_FALSE(inner.knows("c"));
  CHECK(inner.names() == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a let of the outer scope sees the inner scope's parameters") {
  Scope constants;
  constants.set("PADDING", 1);
  constants.define("SLOTS", Expression::parse("PDIST + PADDING"));
  constants.define("BYTES", Expression::parse("8 * SLOTS"));
  Scope configuration(&constants);
  configuration.set("PDIST", 4);
  CHECK(configuration.get("SLOTS") == Value(5));
  CHECK(configuration.get("BYTES") == Value(40));
  CHECK(Expression::parse("BYTES + SLOTS").evaluate(configuration) == Value(45));
  configuration.set("PADDING", 2);
  CHECK(configuration.get("BYTES") == Value(48));
}

TEST_CASE("a later meaning of a name replaces the earlier one") {
  Scope scope;
  scope.set("a", 1);
  scope.define("a", Expression::parse("2"));
  CHECK(scope.get("a") == Value(2));
  scope.set("a", 3);
  CHECK(scope.get("a") == Value(3));
}

TEST_CASE("an accepted name stands for itself unless it is known already") {
  Scope outer;
  outer.set("half", 0.5);
  Scope scope(&outer);
  scope.accept_name("none");
  scope.accept_name("half");
  CHECK(scope.get("none") == Value("none"));
  CHECK(scope.get("half") == Value(0.5));
  scope.set("none", 4);
  CHECK(scope.get("none") == Value(4));
}

TEST_CASE("a let that needs itself is a mistake and not an endless loop") {
  Scope scope;
  scope.define("A", Expression::parse("B + 1"));
  scope.define("B", Expression::parse("C * 2"));
  scope.define("C", Expression::parse("A"));
  CHECK(message(scope, "A") == "In `A`: the let `A` refers to itself. This is in the let `C`.");
  CHECK_THROWS_AS(Expression::parse("1 + B").evaluate(scope), ExpressionError);
  scope.define("SELF", Expression::parse("SELF"));
  CHECK(message(scope, "SELF") == "In `SELF`: the let `SELF` refers to itself. This is in the let `SELF`.");
}

TEST_CASE("a mistake inside a let has an offset in the expression that was asked for") {
  Scope scope;
  scope.define("INNER", Expression::parse("100000 + 1 // 0"));
  scope.define("OUTER", Expression::parse("1 + INNER"));
  try {
    Expression::parse("3 * OUTER").evaluate(scope);
    FAIL("no mistake");
  } catch (const ExpressionError& error) {
    CHECK(error.offset() == 4);
    CHECK(std::string(error.what()) == "In `100000 + 1 // 0`: `//` by zero. This is in the let `INNER`.");
  }
}

TEST_CASE("lets that double their work at each step are evaluated once each") {
  Scope scope;
  scope.set("A0", 1);
  for (int i = 1; i <= 60; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    scope.define("A" + std::to_string(i), Expression::parse(before + " + " + before));
  }
  CHECK(scope.get("A60") == Value(std::int64_t{1} << 60));
}

TEST_CASE("lets may stand in each other, but not so deep that the stack ends") {
  Scope scope;
  scope.set("A0", 1);
  for (int i = 1; i <= 10000; ++i) {
    scope.define("A" + std::to_string(i), Expression::parse("A" + std::to_string(i - 1) + " + 1"));
  }
  CHECK(scope.get("A200") == Value(201));
  CHECK(message(scope, "A10000").find("nested too deeply in other lets") != std::string::npos);
}

TEST_CASE("an unknown name is told the nearest known one") {
  Scope scope;
  scope.set("BLOCKDIMX", 1);
  scope.define("SLOTS", Expression::parse("1"));
  CHECK(message(scope, "BLOKDIMX") == "`BLOKDIMX` is not known (did you mean `BLOCKDIMX`?).");
  CHECK(message(scope, "slot") == "`slot` is not known (did you mean `SLOTS`?).");
  CHECK(message(scope, "other") == "`other` is not known (known: BLOCKDIMX, SLOTS).");
}

TEST_CASE("a scope tells values from lets") {
  Scope scope;
  scope.set("a", 1);
  scope.define("b", Expression::parse("a + 1"));
  CHECK(scope.find("a").value != nullptr);
  CHECK(scope.find("a").let == nullptr);
  CHECK(scope.find("b").let->text() == "a + 1");
  CHECK(scope.find("c").value == nullptr);
  CHECK(scope.find("c").let == nullptr);
}

}  // namespace
}  // namespace tuner::search

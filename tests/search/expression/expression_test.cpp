#include "search/expression/expression.hpp"

#include <doctest/doctest.h>

#include <string>

namespace tuner::search {
namespace {

Scope example() {
  Scope scope;
  scope.set("a", 7);
  scope.set("b", 2);
  scope.set("zero", 0);
  scope.set("half", 0.5);
  scope.set("yes", true);
  scope.set("STRATEGY", "unrolled");
  scope.set("TYPE", "double");
  scope.set("most", std::int64_t{9223372036854775807});
  scope.set("least", Value::parse("-9223372036854775808"));
  scope.accept_name("none");
  scope.accept_name("unrolled");
  return scope;
}

/// The value as text, which shows its kind: 2, 2.0 and true are different.
std::string value(std::string_view text) {
  CAPTURE(text);
  return Expression::parse(text).evaluate(example()).text();
}

/// Each row is an expression and the text of its value: "7 // 2 -> 3".
void check(std::initializer_list<std::string_view> rows) {
  for (const std::string_view row : rows) {
    CAPTURE(row);
    const std::size_t arrow = row.rfind(" -> ");
    CHECK(value(row.substr(0, arrow)) == row.substr(arrow + 4));
  }
}

/// The message of a mistake in parsing or evaluating.
std::string mistake(std::string_view text) {
  try {
    return "no mistake but " + Expression::parse(text).evaluate(example()).text();
  } catch (const ExpressionError& error) {
    CHECK(error.offset() <= text.size());
    CHECK(error.code() == Errc::bad_description);
    return error.what();
  }
}

std::size_t offset(std::string_view text) {
  try {
    Expression::parse(text).evaluate(example());
  } catch (const ExpressionError& error) {
    return error.offset();
  }
  FAIL("no mistake in " << text);
  return 0;
}

std::string repeated(std::string_view part, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += part;
  return result;
}

bool mentions(const std::string& message, std::string_view part) {
  INFO(message);
  return message.find(part) != std::string::npos;
}

TEST_CASE("literals keep their kind") {
  check({"12 -> 12", "0x20 -> 32", "0XfF -> 255", "1.5 -> 1.5", "1e-3 -> 0.001", ".5 -> 0.5", "2. -> 2.0",
         "true -> true", "False -> false", "'none' -> none", "\"a b\" -> \"a b\"", "'it\\'s' -> \"it's\"",
         "9223372036854775807 -> 9223372036854775807", "-9223372036854775808 -> -9223372036854775808"});
}

TEST_CASE("arithmetic on integers floors and keeps the divisor's sign") {
  check({"7 // 2 -> 3", "-7 // 2 -> -4", "7 // -2 -> -4", "-7 // -2 -> 3", "7 % 3 -> 1", "-7 % 3 -> 2", "7 % -3 -> -2",
         "-7 % -3 -> -1", "6 % -3 -> 0", "least % -1 -> 0"});
}

TEST_CASE("real arithmetic floors and keeps the divisor's sign too") {
  check({"7.5 // 2 -> 3.0", "-7.5 // 2 -> -4.0", "-7.5 % 2 -> 0.5", "7.5 % -2 -> -0.5", "1.0 // 0.1 -> 9.0",
         "(7 / 2) % 2 -> 1.5"});
}

TEST_CASE("a slash is real division, exact where the quotient is") {
  check({"7 / 2 -> 3.5", "8 / 2 -> 4.0", "9007199254740993 * 3 / 3 == 9007199254740993 -> false",
         "9223372036854775806 / 4611686018427387903 -> 2.0", "least / -1 -> 9223372036854775808.0"});
}

TEST_CASE("powers go from right to left and stay integers where they can") {
  check({"2 ** 10 -> 1024", "2 ** 3 ** 2 -> 512", "-2 ** 2 -> -4", "(-2) ** 63 -> -9223372036854775808",
         "2 ** -1 -> 0.5", "4 ** half -> 2.0", "0 ** 0 -> 1", "1 ** most -> 1", "(-1) ** most -> -1"});
}

TEST_CASE("bit operators bind tighter than comparisons") {
  check({"6 & 3 == 2 -> true", "1 | 2 ^ 3 & 5 -> 3", "1 << 2 + 1 -> 8", "~5 -> -6", "-8 >> 1 -> -4", "-1 >> 100 -> -1",
         "-1 << 63 -> -9223372036854775808", "0 << 1000 -> 0", "8 / 2 << 1 -> 8"});
}

TEST_CASE("operators have the precedence of C and Python") {
  check({"1 + 2 * 3 -> 7", "10 - 3 - 2 -> 5", "100 // 10 // 5 -> 2", "not 1 == 2 -> true", "!1 == 2 -> false",
         "1 or 0 and 0 -> true", "!0 && !0 -> true", "- - 3 -> 3", "+yes -> 1"});
}

TEST_CASE("comparisons chain and stop at the first that fails") {
  check({"1 < 2 < 3 -> true", "1 < 3 < 2 -> false", "3 > 2 >= 2 != 1 -> true", "1 == 1.0 == true -> true",
         "5 < 1 < 1 / zero -> false", "32 <= a * b <= 1024 -> false"});
}

TEST_CASE("integers and reals are compared exactly") {
  check({"9007199254740993 > 9007199254740992.0 -> true", "most < 9223372036854775808.0 -> true",
         "9223372036854775808.0 > most -> true", "least >= -9223372036854775808.0 -> true", "3 < 3.5 < 4 -> true"});
}

TEST_CASE("names are equal to themselves only, and have no order") {
  check({"STRATEGY == unrolled -> true", "STRATEGY != none -> true", "STRATEGY == 'unrolled' -> true",
         "STRATEGY == 1 -> false", "STRATEGY in (none, unrolled) -> true"});
  CHECK(mentions(mistake("STRATEGY < none"), "`unrolled` is a name and has no order"));
  CHECK(mentions(mistake("1 + STRATEGY"), "`unrolled` is a name, but a number is needed"));
  CHECK(mentions(mistake("not STRATEGY"), "neither true nor false; compare it with `==`"));
  CHECK(mentions(mistake("max(1, none)"), "`none` is a name, but a number is needed"));
}

TEST_CASE("membership takes lists and tuples") {
  check({"a in (1, 7) -> true", "a in [1, 7,] -> true", "a not in (1, 7) -> false", "a in (7) -> true",
         "a in () -> false", "a in (3.5 * b, 0) -> true", "1 < a in (7, 8) -> true", "not a in (1, 2) -> true"});
  CHECK(mentions(mistake("a in b"), "a list such as (1, 2, 4) is expected, not `b`"));
  CHECK(mentions(mistake("a in (1, 2) == true"), "a comparison cannot follow `in (..)`"));
  CHECK(mentions(mistake("(1, 2)"), "a list is allowed only after `in`"));
  CHECK(mentions(mistake("[1]"), "a list is allowed only after `in`"));
  CHECK(mentions(mistake("a in (1 2)"), "`,` or `)` is expected, not `2`"));
}

TEST_CASE("conditions evaluate only what they need and give booleans") {
  check({"1 if yes else 1 / zero -> 1", "yes ? 1 : 1 / zero -> 1", "zero ? 1 / zero : zero ? 2 : 3 -> 3",
         "1 if zero else 2 if zero else 3 -> 3", "zero == 0 || a / zero > 1 -> true",
         "zero != 0 and a / zero > 1 -> false", "5 or 0 -> true", "5 and 3 and 7 -> true",
         "1 if yes else unknown_name -> 1"});
}

TEST_CASE("functions") {
  check({"min(3, 1, 2) -> 1",    "max(3, 4.5, 2) -> 4.5", "max(3) -> 3",           "abs(-3) -> 3",
         "abs(-3.5) -> 3.5",     "ceil_div(7, 2) -> 4",   "ceil_div(-7, 2) -> -3", "ceil_div(8, 4) -> 2",
         "round_up(7, 4) -> 8",  "is_pow2(64) -> true",   "is_pow2(0) -> false",   "is_pow2(least) -> false",
         "next_pow2(65) -> 128", "next_pow2(64) -> 64",   "next_pow2(-3) -> 1",    "log2(8) -> 3.0",
         "sqrt(16) -> 4.0",      "floor(-1.5) -> -2",     "ceil(-1.5) -> -1",      "int(-1.5) -> -1",
         "int(true) -> 1",       "float(3) -> 3.0",       "bool(3) -> true"});
}

TEST_CASE("sizeof takes types and names that stand for types") {
  check({"sizeof(float) -> 4", "sizeof(float4) -> 16", "sizeof(int32) -> 4", "sizeof(unsigned int) -> 4",
         "sizeof('unsigned char') -> 1", "sizeof(TYPE) * 2 -> 16"});
  CHECK(mentions(mistake("sizeof(a)"), "`a` stands for 7, which is not an element type"));
  CHECK(mentions(mistake("sizeof(STRATEGY)"), "`STRATEGY` stands for unrolled, which is not an element type"));
  CHECK(mentions(mistake("sizeof(struct foo)"), "sizeof needs an element type"));
  CHECK(mentions(mistake("sizeof(TYP)"), "`TYP` is not known (did you mean `TYPE`?)"));
  CHECK(mentions(mistake("sizeof(3)"), "a type such as `float` is expected"));
}

TEST_CASE("overflow is a mistake in every operation") {
  CHECK(mentions(mistake("most + 1"), "9223372036854775807 + 1 overflows 64-bit integers"));
  for (const char* text : {"least - 1", "most * 2", "least // -1", "-least", "abs(least)", "2 ** 63", "(-2) ** 64",
                           "3 ** 1000000000000", "1 << 63", "1 << 64", "2 << 62", "round_up(most, 2)",
                           "next_pow2(most)", "ceil_div(least, -1)", "int(1e19)", "floor(1e300)", "ceil(-1e300)"}) {
    CAPTURE(text);
    CHECK(mistake(text).substr(0, 4) == "In `");
  }
  CHECK(mentions(mistake("1e308 * 10"), "the result is not a finite number"));
  CHECK(mentions(mistake("9223372036854775808"), "does not fit in 64 bits"));
  CHECK(mentions(mistake("-9223372036854775808 ** 2"), "does not fit in 64 bits"));
  CHECK(mentions(mistake("99999999999999999999"), "does not fit in 64 bits"));
  CHECK(mentions(mistake("0xffffffffffffffff"), "does not fit in 64 bits"));
  CHECK(mentions(mistake("1e999"), "too large or too small"));
}

TEST_CASE("division by zero and results that are no numbers are mistakes") {
  CHECK(mistake("a // zero") == "In `a // zero`: `//` by zero.");
  CHECK(offset("a // zero") == 2);
  CHECK(mentions(mistake("a / zero"), "`/` by zero"));
  CHECK(mentions(mistake("a % 0.0"), "`%` by zero"));
  CHECK(mentions(mistake("ceil_div(a, zero)"), "ceil_div divides by zero"));
  CHECK(mentions(mistake("0 ** -1"), "divides by zero"));
  CHECK(mentions(mistake("(-8) ** 0.5"), "is not a real number"));
  CHECK(mentions(mistake("sqrt(-1)"), "sqrt needs a number that is not negative, not -1"));
  CHECK(mentions(mistake("log2(0)"), "log2 needs a number above zero, not 0"));
  CHECK(mentions(mistake("1 << -1"), "cannot shift by -1"));
}

TEST_CASE("an integral real serves as an integer, another one is told about // and ceil_div") {
  const Scope scope = example();
  CHECK(Expression::parse("8 / 2").evaluate_integer(scope) == 4);
  CHECK(Expression::parse("true").evaluate_integer(scope) == 1);
  CHECK_THROWS_WITH(Expression::parse("a / b").evaluate_integer(scope),
                    "In `a / b`: 3.5 is not an integer, but one is needed; `/` is real division, `//` rounds down and "
                    "ceil_div(a, b) rounds up.");
  CHECK(mentions(mistake("(a / b) & 1"), "3.5 is not an integer"));
  CHECK_THROWS_AS(Expression::parse("STRATEGY").evaluate_integer(scope), ExpressionError);
  CHECK(Expression::parse("a > b").evaluate_boolean(scope));
  CHECK_FALSE(Expression::parse("zero").evaluate_boolean(scope));
  CHECK_THROWS_AS(Expression::parse("STRATEGY").evaluate_boolean(scope), ExpressionError);
}

TEST_CASE("a mistake in the text is named at its place") {
  CHECK(mistake("1 +") == "In `1 +`: a value is missing at the end.");
  CHECK(offset("1 +") == 3);
  CHECK(mistake("") == "In ``: a value is missing at the end.");
  CHECK(mistake("a b") == "In `a b`: an operator or the end is expected, not `b`.");
  CHECK(offset("a b") == 2);
  CHECK(mentions(mistake("a = 7"), "`=` is not a comparison; write `==`"));
  CHECK(mentions(mistake("a <> 7"), "a value is expected, not `>`"));
  CHECK(mentions(mistake("(a"), "`)` is missing at the end"));
  CHECK(mentions(mistake("a ? 1"), "`:` is missing at the end"));
  CHECK(mentions(mistake("1 if a"), "`else` is missing at the end"));
  CHECK(mentions(mistake("a not 7"), "`in` is expected, not `7`"));
  CHECK(mentions(mistake("a.b"), "`.` is not valid here"));
  CHECK(mentions(mistake("a $ b"), "`$` is not valid here"));
  CHECK(mentions(mistake("a \xc3\xa4"), "the byte 0xc3 is not valid here"));
  CHECK(mentions(mistake("1u"), "`1u` is not a number"));
  CHECK(mentions(mistake("0x"), "`0x` is not a number"));
  CHECK(mentions(mistake("1.2.3"), "`1.2.3` is not a number"));
  CHECK(mentions(mistake("1_000"), "`1_000` is not a number"));
  CHECK(mentions(mistake("010"), "begins with 0"));
  CHECK(mentions(mistake("'abc"), "the quoted text is not closed"));
  CHECK(mentions(mistake("'a\\q'"), "unknown escape"));
  CHECK(mentions(mistake("ciel_div(1, 2)"), "there is no function `ciel_div` (did you mean `ceil_div`?)"));
  CHECK(mentions(mistake("ceil_div(1)"), "ceil_div takes 2 arguments, not 1"));
  CHECK(mentions(mistake("abs()"), "abs takes 1 argument, not 0"));
  CHECK(mentions(mistake("min()"), "min takes at least 1 argument, not 0"));
}

TEST_CASE("an unknown name is told the nearest known one") {
  CHECK(mistake("1 + STRATEGI") == "In `1 + STRATEGI`: `STRATEGI` is not known (did you mean `STRATEGY`?).");
  CHECK(offset("1 + STRATEGI") == 4);
  CHECK(mentions(mistake("something_else"), "is not known (known: STRATEGY, TYPE, a, b,"));
}

TEST_CASE("an expression knows its names in order of first use") {
  const Expression expression = Expression::parse("b + min(a, b) * sizeof(TYPE) + sizeof(float) + 'quoted'");
  CHECK(expression.names() == std::vector<std::string>{"b", "a", "TYPE"});
  CHECK(expression.offset_of("a") == 8);
  CHECK(expression.offset_of("b") == 0);
  CHECK(expression.offset_of("TYPE") == 23);
  CHECK(expression.text() == "b + min(a, b) * sizeof(TYPE) + sizeof(float) + 'quoted'");
  CHECK(Expression::parse("min + max(1, 2)").names() == std::vector<std::string>{"min"});
}

TEST_CASE("long chains need no deep stack") {
  CHECK(value("0" + repeated(" + a", 100000)) == "700000");
  CHECK(value("true" + repeated(" and a", 100000)) == "true");
  CHECK(value("zero" + repeated(" or zero", 100000)) == "false");
  CHECK(value("1" + repeated(" <= 1", 100000)) == "true");
  CHECK(value("max(1" + repeated(", a", 100000) + ")") == "7");
  CHECK(value("a in (1" + repeated(", b", 100000) + ")") == "false");
}

TEST_CASE("nesting is limited to 200, in every way to nest") {
  CHECK(value(repeated("(", 199) + "a" + repeated(")", 199)) == "7");
  CHECK(mentions(mistake(repeated("(", 200) + "a" + repeated(")", 200)), "nested more than 200 levels deep"));
  for (const char* part : {"(", "-", "not ", "!", "2 ** ", "abs(", "1 ? ", "1 ? 1 : ", "1 if 1 else ", "1 in (",
                           "1 in [", "~+", "1 + (", "1 | 2 ^ 3 & 4 << 5 + 6 * 7 ** ("}) {
    CAPTURE(part);
    CHECK(mentions(mistake(repeated(part, 100000)), "nested more than 200 levels deep"));
  }
}

TEST_CASE("the deepest expression that parses can be evaluated") {
  const std::string part = "0 or 1 and 1 == 1 | 1 ^ 1 & 1 << 1 + 1 * -1 ** (";
  CHECK(Expression::parse(repeated(part, 64) + "1" + repeated(")", 64)).evaluate_boolean(example()) == true);
}

}  // namespace
}  // namespace tuner::search

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
  CHECK(value("12") == "12");
  CHECK(value("0x20") == "32");
  CHECK(value("0XfF") == "255");
  CHECK(value("1.5") == "1.5");
  CHECK(value("1e-3") == "0.001");
  CHECK(value(".5") == "0.5");
  CHECK(value("2.") == "2.0");
  CHECK(value("true") == "true");
  CHECK(value("False") == "false");
  CHECK(value("'none'") == "none");
  CHECK(value("\"a b\"") == "\"a b\"");
  CHECK(value("'it\\'s'") == "\"it's\"");
  CHECK(value("9223372036854775807") == "9223372036854775807");
  CHECK(value("-9223372036854775808") == "-9223372036854775808");
}

TEST_CASE("arithmetic on integers floors and keeps the divisor's sign") {
  CHECK(value("7 // 2") == "3");
  CHECK(value("-7 // 2") == "-4");
  CHECK(value("7 // -2") == "-4");
  CHECK(value("-7 // -2") == "3");
  CHECK(value("7 % 3") == "1");
  CHECK(value("-7 % 3") == "2");
  CHECK(value("7 % -3") == "-2");
  CHECK(value("-7 % -3") == "-1");
  CHECK(value("6 % -3") == "0");
  CHECK(value("least % -1") == "0");
}

TEST_CASE("real arithmetic floors and keeps the divisor's sign too") {
  CHECK(value("7.5 // 2") == "3.0");
  CHECK(value("-7.5 // 2") == "-4.0");
  CHECK(value("-7.5 % 2") == "0.5");
  CHECK(value("7.5 % -2") == "-0.5");
  CHECK(value("1.0 // 0.1") == "9.0");
  CHECK(value("(7 / 2) % 2") == "1.5");
}

TEST_CASE("a slash is real division, exact where the quotient is") {
  CHECK(value("7 / 2") == "3.5");
  CHECK(value("8 / 2") == "4.0");
  CHECK(value("9007199254740993 * 3 / 3 == 9007199254740993") == "false");
  CHECK(value("9223372036854775806 / 4611686018427387903") == "2.0");
  CHECK(value("least / -1") == "9223372036854775808.0");
}

TEST_CASE("powers go from right to left and stay integers where they can") {
  CHECK(value("2 ** 10") == "1024");
  CHECK(value("2 ** 3 ** 2") == "512");
  CHECK(value("-2 ** 2") == "-4");
  CHECK(value("(-2) ** 63") == "-9223372036854775808");
  CHECK(value("2 ** -1") == "0.5");
  CHECK(value("4 ** half") == "2.0");
  CHECK(value("0 ** 0") == "1");
  CHECK(value("1 ** most") == "1");
  CHECK(value("(-1) ** most") == "-1");
}

TEST_CASE("bit operators bind tighter than comparisons") {
  CHECK(value("6 & 3 == 2") == "true");
  CHECK(value("1 | 2 ^ 3 & 5") == "3");
  CHECK(value("1 << 2 + 1") == "8");
  CHECK(value("~5") == "-6");
  CHECK(value("-8 >> 1") == "-4");
  CHECK(value("-1 >> 100") == "-1");
  CHECK(value("-1 << 63") == "-9223372036854775808");
  CHECK(value("0 << 1000") == "0");
  CHECK(value("8 / 2 << 1") == "8");
}

TEST_CASE("operators have the precedence of C and Python") {
  CHECK(value("1 + 2 * 3") == "7");
  CHECK(value("10 - 3 - 2") == "5");
  CHECK(value("100 // 10 // 5") == "2");
  CHECK(value("not 1 == 2") == "true");
  CHECK(value("!1 == 2") == "false");
  CHECK(value("1 or 0 and 0") == "true");
  CHECK(value("!0 && !0") == "true");
  CHECK(value("- - 3") == "3");
  CHECK(value("+yes") == "1");
}

TEST_CASE("comparisons chain and stop at the first that fails") {
  CHECK(value("1 < 2 < 3") == "true");
  CHECK(value("1 < 3 < 2") == "false");
  CHECK(value("3 > 2 >= 2 != 1") == "true");
  CHECK(value("1 == 1.0 == true") == "true");
  CHECK(value("5 < 1 < 1 / zero") == "false");
  CHECK(value("32 <= a * b <= 1024") == "false");
}

TEST_CASE("integers and reals are compared exactly") {
  CHECK(value("9007199254740993 > 9007199254740992.0") == "true");
  CHECK(value("most < 9223372036854775808.0") == "true");
  CHECK(value("9223372036854775808.0 > most") == "true");
  CHECK(value("least >= -9223372036854775808.0") == "true");
  CHECK(value("3 < 3.5 < 4") == "true");
}

TEST_CASE("names are equal to themselves only, and have no order") {
  CHECK(value("STRATEGY == unrolled") == "true");
  CHECK(value("STRATEGY != none") == "true");
  CHECK(value("STRATEGY == 'unrolled'") == "true");
  CHECK(value("STRATEGY == 1") == "false");
  CHECK(value("STRATEGY in (none, unrolled)") == "true");
  CHECK(mentions(mistake("STRATEGY < none"), "`unrolled` is a name and has no order"));
  CHECK(mentions(mistake("1 + STRATEGY"), "`unrolled` is a name, but a number is needed"));
  CHECK(mentions(mistake("not STRATEGY"), "neither true nor false; compare it with `==`"));
  CHECK(mentions(mistake("max(1, none)"), "`none` is a name, but a number is needed"));
}

TEST_CASE("membership takes lists and tuples") {
  CHECK(value("a in (1, 7)") == "true");
  CHECK(value("a in [1, 7,]") == "true");
  CHECK(value("a not in (1, 7)") == "false");
  CHECK(value("a in (7)") == "true");
  CHECK(value("a in ()") == "false");
  CHECK(value("a in (3.5 * b, 0)") == "true");
  CHECK(value("1 < a in (7, 8)") == "true");
  CHECK(value("not a in (1, 2)") == "true");
  CHECK(mentions(mistake("a in b"), "a list such as (1, 2, 4) is expected, not `b`"));
  CHECK(mentions(mistake("a in (1, 2) == true"), "a comparison cannot follow `in (..)`"));
  CHECK(mentions(mistake("(1, 2)"), "a list is allowed only after `in`"));
  CHECK(mentions(mistake("[1]"), "a list is allowed only after `in`"));
  CHECK(mentions(mistake("a in (1 2)"), "`,` or `)` is expected, not `2`"));
}

TEST_CASE("conditions evaluate only what they need and give booleans") {
  CHECK(value("1 if yes else 1 / zero") == "1");
  CHECK(value("yes ? 1 : 1 / zero") == "1");
  CHECK(value("zero ? 1 / zero : zero ? 2 : 3") == "3");
  CHECK(value("1 if zero else 2 if zero else 3") == "3");
  CHECK(value("zero == 0 || a / zero > 1") == "true");
  CHECK(value("zero != 0 and a / zero > 1") == "false");
  CHECK(value("5 or 0") == "true");
  CHECK(value("5 and 3 and 7") == "true");
  CHECK(value("1 if yes else unknown_name") == "1");
}

TEST_CASE("functions") {
  CHECK(value("min(3, 1, 2)") == "1");
  CHECK(value("max(3, 4.5, 2)") == "4.5");
  CHECK(value("max(3)") == "3");
  CHECK(value("abs(-3)") == "3");
  CHECK(value("abs(-3.5)") == "3.5");
  CHECK(value("ceil_div(7, 2)") == "4");
  CHECK(value("ceil_div(-7, 2)") == "-3");
  CHECK(value("ceil_div(8, 4)") == "2");
  CHECK(value("round_up(7, 4)") == "8");
  CHECK(value("is_pow2(64)") == "true");
  CHECK(value("is_pow2(0)") == "false");
  CHECK(value("is_pow2(least)") == "false");
  CHECK(value("next_pow2(65)") == "128");
  CHECK(value("next_pow2(64)") == "64");
  CHECK(value("next_pow2(-3)") == "1");
  CHECK(value("log2(8)") == "3.0");
  CHECK(value("sqrt(16)") == "4.0");
  CHECK(value("floor(-1.5)") == "-2");
  CHECK(value("ceil(-1.5)") == "-1");
  CHECK(value("int(-1.5)") == "-1");
  CHECK(value("int(true)") == "1");
  CHECK(value("float(3)") == "3.0");
  CHECK(value("bool(3)") == "true");
}

TEST_CASE("sizeof takes types and names that stand for types") {
  CHECK(value("sizeof(float)") == "4");
  CHECK(value("sizeof(float4)") == "16");
  CHECK(value("sizeof(int32)") == "4");
  CHECK(value("sizeof(unsigned int)") == "4");
  CHECK(value("sizeof('unsigned char')") == "1");
  CHECK(value("sizeof(TYPE) * 2") == "16");
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

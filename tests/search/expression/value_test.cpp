#include "search/expression/value.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "search/strategy/prng.hpp"
#include "tuner/error.hpp"

namespace tuner::search {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// The same kind and the same bits, which is more than ==.
bool same(const Value& a, const Value& b) {
  if (a.is_name() || b.is_name()) return a.is_name() && b.is_name() && a.as_name() == b.as_name();
  if (a.is_real() || b.is_real()) {
    return a.is_real() && b.is_real() &&
           std::bit_cast<std::uint64_t>(a.as_real()) == std::bit_cast<std::uint64_t>(b.as_real());
  }
  return a.is_boolean() == b.is_boolean() && a.as_integer() == b.as_integer();
}

std::string random_name(Prng& prng) {
  static constexpr std::string_view letters = "aZ09_.+-e x,=\"\\'\n\t\x01\x7f\xc3\xa4";
  static constexpr const char* awkward[] = {"",    "true", "False", "inf", "nan", "-inf", "1",     "-1",      "1e5",
                                            "0x1", "1.",   ".5",    "1e",  "e1",  "+",    "-none", "9e99999", "0x"};
  if (prng.below(4) == 0) return awkward[prng.below(std::size(awkward))];
  std::string name;
  for (std::uint64_t length = prng.below(8); length > 0; --length) name += letters[prng.below(letters.size())];
  return name;
}

TEST_CASE("a value's text is canonical") {
  CHECK(Value(128).text() == "128");
  CHECK(Value(kLeast).text() == "-9223372036854775808");
  CHECK(Value(0.5).text() == "0.5");
  CHECK(Value(0.1).text() == "0.1");
  CHECK(Value(2.0).text() == "2.0");
  CHECK(Value(-0.0).text() == "-0.0");
  CHECK(Value(1e300).text() == "1e+300");
  CHECK(Value(true).text() == "true");
  CHECK(Value("none").text() == "none");
  CHECK(Value("--use_fast_math").text() == "--use_fast_math");
  CHECK(Value("true").text() == "\"true\"");
  CHECK(Value("12").text() == "\"12\"");
  CHECK(Value("1e5").text() == "\"1e5\"");
  CHECK(Value("").text() == "\"\"");
  CHECK(Value("a b").text() == "\"a b\"");
  CHECK(Value("say \"hi\"\n").text() == "\"say \\\"hi\\\"\\n\"");
}

TEST_CASE("text and parse are inverse for every kind of value") {
  Prng prng(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t kind = prng.below(4);
    Value value(random_name(prng));
    if (kind == 0) value = Value(static_cast<std::int64_t>(prng.next() >> prng.below(64)));
    if (kind == 1) value = Value(prng.below(2) == 1);
    if (kind == 2) {
      const double real = std::bit_cast<double>(prng.next());
      if (std::isnan(real)) continue;  // has many bit patterns and one text
      value = Value(prng.below(2) == 0 ? real : std::ldexp(static_cast<double>(prng.below(1000)), -3));
    }
    const std::string text = value.text();
    CAPTURE(text);
    REQUIRE(same(Value::parse(text), value));
  }
  for (const double real : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()}) {
    CHECK(same(Value::parse(Value(real).text()), Value(real)));
  }
  CHECK(std::isnan(Value::parse(Value(std::nan("")).text()).as_real()));
}

TEST_CASE("parse reads numbers and booleans in the spellings of C and Python") {
  CHECK(same(Value::parse("0x20"), Value(32)));
  CHECK(same(Value::parse("-0x20"), Value(-32)));
  CHECK(same(Value::parse("+7"), Value(7)));
  CHECK(same(Value::parse("007"), Value(7)));
  CHECK(same(Value::parse(" 7 "), Value(7)));
  CHECK(same(Value::parse("1."), Value(1.0)));
  CHECK(same(Value::parse(".5"), Value(0.5)));
  CHECK(same(Value::parse("+1e3"), Value(1000.0)));
  CHECK(same(Value::parse("True"), Value(true)));
  CHECK(same(Value::parse("False"), Value(false)));
  CHECK(same(Value::parse("unrolled"), Value("unrolled")));
  CHECK(same(Value::parse("0x"), Value("0x")));
}

TEST_CASE("parse refuses numbers that do not fit and unfinished quotations") {
  for (const char* text : {"9223372036854775808", "99999999999999999999999", "0x8000000000000000", "1e999", "\"",
                           "\"abc", "\"abc\\\"", "\"a\"b\"", "\"\\q\""}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Value::parse(text), Error);
  }
  CHECK_THROWS_WITH(Value::parse("9223372036854775808"), "The integer 9223372036854775808 does not fit in 64 bits.");
}

TEST_CASE("numbers are equal by value and never equal to names") {
  CHECK(Value(1) == Value(1.0));
  CHECK(Value(1) == Value(true));
  CHECK(Value(0.0) == Value(false));
  CHECK_FALSE(Value(1) == Value("1"));
  CHECK_FALSE(Value(true) == Value("true"));
  CHECK(Value("a") == Value("a"));
  CHECK_FALSE(Value("a") == Value("A"));
}

TEST_CASE("an integer is compared with a real without being rounded") {
  const std::int64_t big = std::int64_t{1} << 53;
  CHECK(Value(big) == Value(9007199254740992.0));
  CHECK_FALSE(Value(big + 1) == Value(9007199254740992.0));
  CHECK_FALSE(Value(kMost) == Value(9223372036854775808.0));
  CHECK(Value(kLeast) == Value(-9223372036854775808.0));
}

TEST_CASE("conversions give the number or say what is wrong") {
  CHECK(Value(4.0).as_integer() == 4);
  CHECK(Value(true).as_integer() == 1);
  CHECK(Value(3).as_real() == 3.0);
  CHECK(Value(0.5).as_boolean());
  CHECK_FALSE(Value(0).as_boolean());
  CHECK(Value("x").as_name() == "x");
  CHECK_THROWS_WITH(Value(3.5).as_integer(), "3.5 is not a 64-bit integer.");
  CHECK_THROWS_WITH(Value(1e19).as_integer(), "1e+19 is not a 64-bit integer.");
  CHECK_THROWS_WITH(Value("x").as_integer(), "`x` is a name, but a number is needed.");
  CHECK_THROWS_WITH(Value("x").as_boolean(), "`x` is a name, but a number is needed.");
  CHECK_THROWS_WITH(Value(3).as_name(), "3 is a number, but a name is needed.");
}

}  // namespace
}  // namespace tuner::search

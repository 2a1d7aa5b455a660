#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "search/expression/expression.hpp"
#include "search/strategy/prng.hpp"

namespace tuner::search {
namespace {

const std::vector<std::string> kCorpus{
    "BLOCKDIMX * TILE <= 1024",
    "32 <= a*b <= 1024",
    "STRATEGY != none || (PDIST == 1 && PADDING == 0)",
    "a if c else b if zero else 3.5e-3",
    "a ? b : c ? 'x' : \"y\\\"z\"",
    "x in (1, 2, 4) and y not in [3, 'name', 0x20,]",
    "-a ** -2 ** 0.5 % 3 // 2 - ~5 ^ 3 | 7 & 1 << 2 >> 1",
    "!a == not b",
    "min(a, b, max(1, 2.5), abs(-3)) + ceil_div(a, 32) * round_up(b, 4)",
    "is_pow2(a) and next_pow2(b) > log2(64) + sqrt(2) or floor(1.5) == int(ceil(0.5))",
    "sizeof(TYPE) * float(3) + sizeof(unsigned int) + bool(1)",
    "-9223372036854775808 + 9223372036854775807 * 2",
    "L1 + L2 * LOOP",
    "(((((((((1)))))))))",
    "true and False or True",
};

Scope names_and_numbers() {
  Scope scope;
  for (const char* name : {"a", "b", "c", "x", "y", "TILE", "PDIST"}) {
    scope.set(name, static_cast<std::int64_t>(std::string_view(name).size() * 3));
  }
  scope.set("zero", 0);
  scope.set("most", std::int64_t{9223372036854775807});
  scope.set("TYPE", "float");
  scope.set("STRATEGY", "unrolled");
  scope.set("huge", 1e308);
  scope.accept_name("none");
  scope.define("L1", Expression::parse("a + b"));
  scope.define("L2", Expression::parse("L1 * L1 / zero"));
  scope.define("LOOP", Expression::parse("LOOP + 1"));
  return scope;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : prng_(seed) {}

  std::string next() {
    std::string text = pick(kCorpus);
    for (std::uint64_t rounds = 1 + prng_.below(4); rounds > 0; --rounds) mutate(text);
    if (text.size() > 5000) text.resize(5000);
    return text;
  }

 private:
  template <typename List>
  std::string pick(const List& list) {
    return std::string(list[prng_.below(std::size(list))]);
  }
  static std::string repeated(const std::string& part, std::uint64_t count) {
    std::string many;
    for (; count > 0; --count) many += part;
    return many;
  }
  std::size_t position(const std::string& text) { return prng_.below(text.size() + 1); }

  void mutate(std::string& text) {
    static constexpr const char* kPieces[] = {
        // punctuation and operators
        "(", ")", "[", "]", ",", "?", ":", ".", "'", "\"", "\\", "!", "~", "-", "+", "*", "**", "/", "//", "%", "<<",
        ">>", "&", "|", "^", "==", "!=", "<", "<=", " if ", " else ", " and ", " or ", "not ", " in ", " not in ",
        // numbers and names
        "1", "0", "-1", "63", "64", "0x", "0.5", "1e308", "1e-5", "9223372036854775808", "99999999999999999999999999",
        "most", "zero", "huge", "none", "LOOP", "L1", "sizeof(", "min(", "int(", "ceil_div(a,"};
    static constexpr const char* kOpen[] = {"(", "-(", "abs(", "not (", "2**(", "1 if 0 else (", "a in (", "0 or ("};
    const std::uint64_t kind = prng_.below(16);
    const std::size_t begin = position(text);
    if (kind < 3) {  // flip bits of a byte
      if (!text.empty()) text[prng_.below(text.size())] ^= static_cast<char>(1 << prng_.below(8));
    } else if (kind < 5) {  // delete a stretch
      text.erase(begin, prng_.below(10));
    } else if (kind < 8) {  // splice with another expression
      const std::string other = pick(kCorpus);
      text = text.substr(0, begin) + other.substr(position(other));
    } else if (kind == 8) {
      text.insert(begin, repeated(text.substr(begin, 1 + prng_.below(8)), prng_.below(300)));
    } else if (kind == 9) {  // nest deeply
      const std::uint64_t depth = prng_.below(250);
      text = repeated(pick(kOpen), depth) + text + std::string(depth, ')');
    } else {
      text.insert(begin, pick(kPieces));
    }
  }

  Prng prng_;
};

TEST_CASE("no text crashes or hangs parsing and evaluating") {
  const Scope scope = names_and_numbers();
  Mutator mutator(20240229);
  int parsed = 0, evaluated = 0;
  for (int i = 0; i < 12000; ++i) {
    const std::string text = mutator.next();
    CAPTURE(text);
    std::optional<Expression> expression;
    try {
      expression = Expression::parse(text);
    } catch (const ExpressionError& error) {
      REQUIRE(error.offset() <= text.size());
      continue;
    }
    ++parsed;
    REQUIRE(expression->text() == text);
    try {
      const Value value = expression->evaluate(scope);
      ++evaluated;
      // What it gave is a value like any other: it can be written and read again.
      REQUIRE(Value::parse(value.text()) == value);
    } catch (const ExpressionError& error) {
      REQUIRE(error.offset() <= text.size());
    }
  }
  // Neither all nor nothing gets through, or the test would test little.
  CHECK(parsed > 1200);
  CHECK(evaluated > 500);
}

TEST_CASE("no text crashes reading a value") {
  Mutator mutator(7);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutator.next();
    CAPTURE(text);
    try {
      const Value value = Value::parse(text);
      REQUIRE(Value::parse(value.text()) == value);
    } catch (const Error& error) {
      REQUIRE(error.code() == Errc::bad_description);
    }
  }
}

}  // namespace
}  // namespace tuner::search

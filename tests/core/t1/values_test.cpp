#include <doctest/doctest.h>

#include <string>

#include "tests/core/support.hpp"
#include "tuner/core/t1/values.hpp"

using tuner::python_list;
using tuner::search::Value;
using tuner::test::contains;

namespace {

std::string shown(std::string_view text) {
  std::string all;
  for (const Value& value : python_list(text)) all += (all.empty() ? "" : " ") + value.text();
  return all;
}

std::string mistake(std::string_view text) {
  return tuner::test::error_of([&] { python_list(text); });
}

}  // namespace

TEST_CASE("lists are what Python makes of them") {
  const std::pair<const char*, const char*> cases[] = {
      {"[1, 2, 4]", "1 2 4"},
      {"[1, 2] + list(range(32, 129, 32))", "1 2 32 64 96 128"},
      {"[1, 2, 4, 8, 16] + list(range(32, 64+1, 32))", "1 2 4 8 16 32 64"},
      {"[2**i for i in range(6)]", "1 2 4 8 16 32"},
      {"[2**(3+i) for i in range(3)]", "8 16 32"},
      {"[i for i in range(1, 9) if i % 2 == 0 or i == 1]", "1 2 4 6 8"},
      {"[i for i in range(20) if i > 3 if i % 5 == 0]", "5 10 15"},
      {"[x*y for x in [1, 3] for y in (1, 2)]", "1 2 3 6"},
      {"[x for x in range(3) for y in range(x)]", "1 2 2"},
      {"[i if i > 1 else 10*i for i in range(4)]", "0 10 2 3"},
      {"list(range(10, 0, -3))", "10 7 4 1"},
      {"list(range(3))", "0 1 2"},
      {"range(2, 4)", "2 3"},
      {"list(range(5, 5))", ""},
      {"list(i*i for i in range(4))", "0 1 4 9"},
      {"sorted([4, 1, 3])", "1 3 4"},
      {"sorted([4, 1, 3], reverse=True)", "4 3 1"},
      {"sorted(set([2, 2, 1]))", "1 2"},
      {"list(reversed([1, 2]))", "2 1"},
      {"[1] * 2 + 2 * [3]", "1 1 3 3"},
      {"[0.5, 1e-3, 1.0]", "0.5 0.001 1.0"},
      {"[1/2, 7//2, -7//2, -7 % 3]", "0.5 3 -4 2"},
      {"[True, False]", "true false"},
      {"['float', \"double\"]", "float double"},
      {"['a, b', 'c]d']", "\"a, b\" \"c]d\""},
      {"[]", ""},
      {"[1,]", "1"},
      {"( [1] + [2] )", "1 2"},
      {"(1, 2)", "1 2"},
      {"[min(i, 2) for i in range(4)]", "0 1 2 2"},
      {"[32 * (1 << i) for i in [0, 1, 2]]", "32 64 128"},
      {"[n for n in [1, 2, 3, 4] if n not in [2, 3]]", "1 4"},
  };
  for (const auto& [text, values] : cases) {
    CAPTURE(text);
    CHECK(shown(text) == values);
  }
}

TEST_CASE("what is not understood is quoted") {
  const std::pair<const char*, const char*> cases[] = {
      {"[(1, 2), (3, 4)]", "`(1, 2)` is a tuple"},
      {"[[1, 2], [3]]", "`[1, 2]` is a list in a list"},
      {"5", "`5` is not a list"},
      {"", "a list is missing here"},
      {"[1, 2", "`]` is missing at the end"},
      {"[1, 2))", "there is an extra `)`"},
      {"['a]", "a quoted text is not closed"},
      {"[1,, 2]", "a value is missing between two commas"},
      {"np.arange(4)", "`np.arange` in `np.arange(4)` is not one of the functions"},
      {"list(range(1, 2, 0))", "the step of a range cannot be 0"},
      {"list(range(1, 2, 3, 4))", "range takes one to three numbers"},
      {"list(range(10**12))", "more than 65536 values"},
      {"[1] * 1000000", "more than 65536 values"},
      {"[i for i in range(65536) for j in range(65536) if i < 0]", "more than 262144 steps"},
      {"[2**70]", "overflow"},
      {"[1//0]", "`//` by zero"},
      {"[x for y in range(3)]", "`x` is not known"},
      {"[x for x]", "should be `for NAME in LIST`"},
      {"[x for x in range(3) if]", "a condition is missing"},
      {"list(range('a'))", "is a name, but a number is needed"},
      {"sorted([1, 'a'])", "cannot order numbers and strings"},
      {"__import__('os')", "not one of the functions"},
      {"[1] if True else [2]", "not a list"},
  };
  for (const auto& [text, part] : cases) {
    CAPTURE(text);
    const std::string sentence = mistake(text);
    CHECK_MESSAGE(contains(sentence, part), sentence);
  }
}

TEST_CASE("nesting that never ends is refused, and not followed to the end of the stack") {
  CHECK(contains(mistake(std::string(100000, '(')), "missing at the end"));
  std::string deep = "[1]";
  for (int i = 0; i < 500; ++i) deep = "list(" + deep + ")";
  CHECK(contains(mistake(deep), "nested more than"));
}

#include "tests/structure/include_cycles.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tuner::test;

namespace {

TEST_CASE("no unit of the product includes itself by way of others") {
  const Includes includes = read_includes(TUNER_SOURCE_DIR, {"tuner", "search", "cache"});
  CHECK(includes.size() > 300);
  CHECK(includes.at("search/space/space").contains("search/space/parameter"));
  std::string text;
  for (const std::string& unit : find_cycle(includes)) text += (text.empty() ? "" : " -> ") + unit;
  CHECK(text == "");
}

TEST_CASE("a cycle is found, through a header or its source, and several ways to one unit are none") {
  CHECK(find_cycle({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}, {"d", {}}}).empty());
  CHECK(find_cycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}) == std::vector<std::string>{"b", "c", "b"});
}

}  // namespace

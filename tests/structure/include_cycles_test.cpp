#include "tests/structure/include_cycles.hpp"

#include <doctest/doctest.h>

#include <filesystem>
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

// All rooms see the top folder, so an include that brings no symbol links even where it has no business.
TEST_CASE("search and cache include of the tuner only public headers") {
  const Includes includes = read_includes(TUNER_SOURCE_DIR, {"search", "cache"});
  for (const auto& [unit, included] : includes) {
    const std::string room = unit.substr(0, unit.find('/') + 1);
    for (const std::string& name : included) {
      const std::filesystem::path header = std::filesystem::path(TUNER_SOURCE_DIR) / "tuner/include" / (name + ".hpp");
      INFO(unit << " includes " << name);
      CHECK((name.starts_with(room) || std::filesystem::exists(header)));
    }
  }
}

TEST_CASE("a cycle is found, through a header or its source, and several ways to one unit are none") {
  CHECK(find_cycle({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}, {"d", {}}}).empty());
  CHECK(find_cycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}) == std::vector<std::string>{"b", "c", "b"});
}

}  // namespace

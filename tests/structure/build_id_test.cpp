#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/structure/include_cycles.hpp"
#include "tests/support/files.hpp"

using namespace tuner::test;

namespace {

/// The units that these include, and those that they include in turn.
std::set<std::string> reached_from(const std::set<std::string>& units, const Includes& includes) {
  std::set<std::string> reached = units;
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const std::string& unit : std::set<std::string>(reached)) {
      if (const auto found = includes.find(unit); found != includes.end()) {
        reached.insert(found->second.begin(), found->second.end());
      }
    }
  }
  return reached;
}

bool describes_fields(const std::string& header) {
  const std::string text = read_bytes(std::filesystem::path(TUNER_SOURCE_DIR) / header);
  static const std::regex description(R"(void describe\w*\((auto|Fields)& fields)");
  return std::regex_search(text, description);
}

TEST_CASE("a new column of a decision left the build id of the programs that send it to each other as it was") {
  std::istringstream words(TUNER_WIRE_FILES);
  const std::set<std::string> covered{std::istream_iterator<std::string>(words), {}};
  const Includes includes = read_includes(TUNER_SOURCE_DIR, {"tuner", "search", "cache"});
  std::set<std::string> wires;
  for (const auto& [unit, included] : includes) {
    if (unit.ends_with("_wire")) wires.insert(unit);
  }
  CHECK(wires.size() == 3);
  int describing = 0;
  for (const std::string& unit : reached_from(wires, includes)) {
    const std::string header = unit + ".hpp";
    if (!describes_fields(header)) continue;
    ++describing;
    CAPTURE(header);
    CHECK(covered.contains(header));
  }
  CHECK(describing >= 10);
}

}  // namespace

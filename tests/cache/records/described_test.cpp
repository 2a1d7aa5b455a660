#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/records/decision.hpp"
#include "cache/records/trial.hpp"

using namespace tuner::cache;

namespace {

/// Where the members that a description names lie in memory.
struct Extents {
  template <class T>
  void operator()(const char* name, const T& member) {
    if (name == left_out) return;
    members.emplace_back(reinterpret_cast<const std::byte*>(&member), sizeof member);
  }
  std::string_view left_out;
  std::vector<std::pair<const std::byte*, std::size_t>> members = {};
};

/// The most bytes of a record in a row that belong to no described member, where one is left out.
template <class Record>
std::size_t widest_gap(std::string_view left_out = "") {
  const Record record{};
  Extents extents{left_out};
  describe(extents, record);
  std::sort(extents.members.begin(), extents.members.end());
  const std::byte* const begin = reinterpret_cast<const std::byte*>(&record);
  extents.members.emplace_back(begin + sizeof record, 0);
  const std::byte* end = begin;
  std::size_t widest = 0;
  for (const auto& [member, size] : extents.members) {
    widest = std::max(widest, static_cast<std::size_t>(member - end));
    end = member + size;
  }
  return widest;
}

// What a description leaves out is never stored, and comparisons by the same description do not miss it. Up to seven
// bytes are padding; a small member that fits there is not found.
TEST_CASE("every member of a decision and of a trial is described") {
  CHECK(widest_gap<Decision>() < 8);
  CHECK(widest_gap<Trial>() < 8);
  CHECK(widest_gap<Decision>("launch") >= 8);
  CHECK(widest_gap<Trial>("time_ns") >= 8);
}

}  // namespace

#include "search/space/changes.hpp"

#include <doctest/doctest.h>

namespace tuner::search {
namespace {

using Choices = std::vector<std::uint32_t>;

TEST_CASE("the smallest changes are single parameters where those are accepted") {
  const auto all = [](const Configuration&) { return true; };
  CHECK(smallest_changes({Choices{0, 0, 0}}, {Choices{1, 0, 2}}, all) == std::vector<Change>{{0}, {2}});
  CHECK(smallest_changes({Choices{1}}, {Choices{1}}, all).empty());
}

TEST_CASE("parameters that are bound change together, with as few others as possible") {
  // 0 and 2 must be equal; 1 is free; 3 needs 1.
  const auto accepts = [](const Configuration& one) {
    return one.choice[0] == one.choice[2] && (one.choice[3] == 0 || one.choice[1] == 1);
  };
  CHECK(smallest_changes({Choices{0, 0, 0, 0}}, {Choices{1, 1, 1, 1}}, accepts) ==
        std::vector<Change>{{0, 2}, {1}, {1, 3}});
}

TEST_CASE("what nothing smaller does is one change of all that differ") {
  const Configuration from{Choices(7, 0)}, to{Choices(7, 1)};
  const auto accepts = [&](const Configuration& one) { return one == from || one == to; };
  CHECK(smallest_changes(from, to, accepts) == std::vector<Change>{{0, 1, 2, 3, 4, 5, 6}});
}

TEST_CASE("a change takes its values from the end") {
  CHECK(changed({Choices{0, 0, 0}}, {Choices{1, 2, 3}}, {0, 2}).choice == Choices{1, 0, 3});
}

}  // namespace
}  // namespace tuner::search

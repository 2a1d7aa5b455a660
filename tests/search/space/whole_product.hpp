#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "search/space/space.hpp"

namespace tuner::search::test {

/// Whether there is a next choice, and that: the last parameter fastest.
inline bool next_choice(std::span<const Parameter> parameters, std::vector<std::uint32_t>& choice) {
  for (std::size_t i = parameters.size(); i-- > 0;) {
    if (++choice[i] < parameters[i].values.size()) return true;
    choice[i] = 0;
  }
  return false;
}

/// In how many parameters they differ.
inline int distance(const Configuration& a, const Configuration& b) {
  int result = 0;
  for (std::size_t i = 0; i < a.choice.size(); ++i) result += a.choice[i] != b.choice[i] ? 1 : 0;
  return result;
}

/// Checks the neighbours of `from` against the definition; `valid` are all valid configurations in order.
inline void check_neighbours(const Space& space, const std::vector<Configuration>& valid, const Configuration& from) {
  std::vector<Configuration> one, two, adjacent;
  for (const Configuration& to : valid) {
    if (distance(from, to) == 1) one.push_back(to);
    if (distance(from, to) == 2) two.push_back(to);
    if (distance(from, to) == 1 &&
        std::equal(from.choice.begin(), from.choice.end(), to.choice.begin(),
                   [](std::uint32_t a, std::uint32_t b) { return a + 1 >= b && b + 1 >= a; })) {
      adjacent.push_back(to);
    }
  }
  const auto found = [&](Neighbourhood neighbourhood) {
    std::vector<Configuration> result = space.neighbours(from, neighbourhood);
    std::sort(result.begin(), result.end());
    return result;
  };
  REQUIRE(found(Neighbourhood::hamming1) == one);
  REQUIRE(found(Neighbourhood::hamming2) == two);
  REQUIRE(found(Neighbourhood::adjacent) == adjacent);
}

}  // namespace tuner::search::test

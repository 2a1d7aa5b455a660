#pragma once

#include <cstdint>

namespace tuner::engine {

// How exactly the reference computes each element of its outputs decides by how much a correct candidate may differ
// where the description gives no tolerance. The reference runs kRoundedRuns times on the same inputs with its
// operations rounded at random (random_rounding.hpp); an element's spread is the most by which it then differs from
// what the reference wrote. The numbers were chosen by measurements: docs/results/rounding.md.
inline constexpr int kRoundedRuns = 8;
inline constexpr double kAcceptedSpread = 24;  ///< so many times that is still rounding
inline constexpr double kSureSpread = 6;       ///< what is more must be within the standard deviation of 64 neighbours
inline constexpr double kAlikeSpread = 100;    ///< so many times may be, and the report says so
inline constexpr double kPartOfNeighbours = 0.3;  ///< of the geometric mean of 64 neighbours, at least
/// Of an element that never moved among too few that did: this part of `rtol` of its neighbours' size. Long float sums
/// of numbers with few bits round so seldom that eight runs miss it. Numbers of two bytes are too coarse for it.
inline constexpr double kPartOfTolerance = 0.01;
inline constexpr double kMostSpread = 0.02;  ///< of an element's size, and of that of 64 neighbours

/// Whether whole numbers that never moved are exact, as counts are that lie among sums. `whole` of `all` elements are
/// whole numbers, and `still` of these, of all `all_still`, never moved. They are of another kind than the others if a
/// quarter of them stays the same, four times as many as of the others. Sums that lost most of their bits are whole by
/// chance, and move as the others do.
constexpr bool whole_is_exact(std::uint64_t all, std::uint64_t all_still, std::uint64_t whole, std::uint64_t still) {
  const double others = static_cast<double>(all) - static_cast<double>(whole);
  const double others_still = static_cast<double>(all_still) - static_cast<double>(still);
  const double part = static_cast<double>(still) / static_cast<double>(whole);
  return others <= 0 || (part >= 0.25 && part > 4 * (others_still + 1) / others);
}

/// The same of zeros, as a mask leaves them, of which none may move. Where sums are cut off at 0, those move that are
/// near it.
constexpr bool zero_is_exact(std::uint64_t all, std::uint64_t all_still, std::uint64_t zeros, std::uint64_t still) {
  return still == zeros && whole_is_exact(all, all_still, zeros, still);
}

}  // namespace tuner::engine

#pragma once

namespace tuner::engine {

// How exactly the reference computes each element of its outputs decides by how much a correct candidate may differ
// where the description gives no tolerance. The reference runs kRoundedRuns times on the same inputs with its
// operations rounded at random (random_rounding.hpp); an element's spread is the most by which it then differs from
// what the reference wrote. The numbers were chosen by measurements: docs/results/rounding.md.
inline constexpr int kRoundedRuns = 8;
inline constexpr double kAcceptedSpread = 20;     ///< so many times that is still rounding
inline constexpr double kAlikeSpread = 100;       ///< so many times may be, and the report says so
inline constexpr double kPartOfNeighbours = 0.3;  ///< of the geometric mean of 64 neighbours, at least
inline constexpr double kMostSpread = 0.02;       ///< of an element's size, and of that of 64 neighbours

}  // namespace tuner::engine

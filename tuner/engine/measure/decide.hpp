#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tuner::engine {

/// A configuration that the race could not tell from its leader.
struct TieCandidate {
  int differing_parameters = 0;  ///< from the baseline; 0 for the baseline itself
  int registers = 0;             ///< per thread; give all candidates the same number where it is unknown
  std::string text;              ///< the configuration's canonical text, unique
  double relative_time = 1;      ///< to the leader's
};

/// How much slower than the fastest of its ties, as a fraction, the race may have found the winner. Higher: different
/// runs agree more often; lower: the winner is nearer to the best there is.
inline constexpr double kWinnerMargin = 0.003;

/// Which of these equals wins, by position. Of those within `margin` of the fastest: the one with the fewest parameters
/// differing from the baseline, so that a change has to earn its place; then with the fewest registers, which leaves
/// room for other kernels; then with the smallest text, byte by byte. The order of the candidates does not matter, nor
/// do times within the margin, so two runs with the same ties nearly always name the same winner.
/// Throws Error{internal} for no candidates.
std::size_t choose_winner(std::span<const TieCandidate> tied, double margin = kWinnerMargin);

}  // namespace tuner::engine

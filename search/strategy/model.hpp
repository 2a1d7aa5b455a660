#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "search/strategy/strategy.hpp"

namespace tuner::search {

/// What the model's search may be tuned by. The defaults were chosen on the recorded spaces that
/// docs/results/search.md names; results change little around them.
struct ModelConstants {
  std::size_t sample = 6;       ///< configurations drawn before the model is asked
  std::size_t bases = 12;       ///< fastest configurations whose neighbours are looked at for a proposal
  std::size_t neighbours = 32;  ///< looked at of one base for one proposal
  std::size_t walks = 40;       ///< short random walks from the bases, looked at for a proposal
  std::size_t random = 50;      ///< random configurations looked at for a proposal
  /// Answers to so many proposals of a round without one that was half a per cent faster than the round's best, and
  /// another round begins.
  std::size_t patience = 16;
  /// The same for a round with a sample of its own: it need not find the best of its basin, but something that the
  /// round after it, which knows all basins, goes on from.
  std::size_t glimpse = 12;
  /// Where nothing that was looked at has a greater expected improvement, of the logarithm of the time, one proposal in
  /// four is drawn. Not chosen on recordings: what a race takes for a tie.
  double least_improvement = 1e-2;
};

/// The strategy `model`. `space` must outlive it.
std::unique_ptr<Strategy> make_model(const Space& space, std::uint64_t seed, const ModelConstants& constants);

}  // namespace tuner::search

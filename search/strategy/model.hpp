#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "search/strategy/strategy.hpp"

namespace tuner::search {

/// What the model's search may be tuned by. The defaults were chosen on the recorded spaces that
/// docs/results/search.md names; results change little around them.
struct ModelConstants {
  std::size_t sample = 10;      ///< configurations drawn before the model is asked
  std::size_t bases = 12;       ///< fastest configurations whose neighbours are looked at for a proposal
  std::size_t neighbours = 32;  ///< looked at of one base for one proposal
  std::size_t walks = 40;       ///< short random walks from the bases, looked at for a proposal
  std::size_t random = 50;      ///< random configurations looked at for a proposal
  /// Where nothing that was looked at has a greater expected improvement, of the logarithm of the time, every other
  /// proposal is drawn. Once most of what was asked for lies in one basin, the trees agree that everything else is no
  /// faster than its median, and the model alone would walk through the basin to its end. Not chosen on recordings: a
  /// tenth of what a race takes for a tie.
  double least_improvement = 1e-3;
};

/// The strategy `model`. `space` must outlive it.
std::unique_ptr<Strategy> make_model(const Space& space, std::uint64_t seed, const ModelConstants& constants);

}  // namespace tuner::search

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/strategy/features.hpp"
#include "search/strategy/prng.hpp"
#include "search/strategy/randomised_trees.hpp"

namespace tuner::search {

/// A configuration that was timed.
struct Timed {
  std::uint64_t index = 0;
  float logarithm = 0;  ///< of its time
};

/// What a search may have left to find, and where, judged by everything that it timed. Trees that were grown from a
/// basin believe that they know what lies outside of it: trees differ less there than they err. So their deviation is
/// widened by what they err where a family is left out, all configurations that have one value of a parameter in
/// common: other trees, grown without the family, predict it.
class Outlook {
 public:
  static constexpr std::size_t kFewest = 24;  ///< fewer timed ones say nothing
  static constexpr double kGain = 0.01;       ///< what counts as something to find: so much faster than the best

  /// Grows the trees. `space` and `features` outlive this. Costs about 0.1 ms for each of `timed`.
  Outlook(const Space& space, const Features& features, std::span<const Timed> timed, Prng& prng);

  struct View {
    /// The greatest that an untried configuration is given of being faster than the best by kGain. That is about how
    /// often there is one at all: chances of many configurations are not independent.
    double chance = 0;
    /// Where to try next: those with the greatest chances, those with the most pairs of values that nothing that was
    /// timed has, and the most promising of families that are behind. The first two kinds differ from each other in two
    /// parameters at least.
    std::vector<std::uint64_t> places;
  };
  /// Looks at every configuration that `is_open`, in large spaces at some thousands, one of each stretch. `runs` gives
  /// the chance that a configuration of that row does not fail. Costs a few microseconds for each.
  View look(const std::function<bool(std::uint64_t)>& is_open,
            const std::function<double(std::span<const float>)>& runs, Prng& prng) const;

 private:
  /// A configuration with what models see of it.
  struct Sample {
    Configuration configuration;
    std::vector<float> row;
    float target = 0;
  };
  /// An untried configuration.
  struct Open {
    std::uint64_t index;
    double chance;
    std::size_t new_pairs;
    double slower;  ///< than the best, as the trees predict it: of the logarithm of the time
  };
  /// Which pairs of values were timed together.
  class Pairs;

  /// The trees' deviation times this is how far they err, at least 1.
  double widening(Prng& prng) const;
  /// The mean square of the error over the deviation, in a family that the trees do not know.
  double error_of_family(std::size_t parameter, std::uint32_t value, Prng& prng) const;
  double chance_of(const RandomisedTrees::Prediction& prediction) const;
  std::vector<std::uint64_t> choose_places(std::vector<Open> open) const;
  /// Of each family that has none as fast as the best the one that is predicted to be fastest; the fastest first. A
  /// family that is slower so far may have a peak that no neighbour shows: another algorithm, say.
  std::vector<Open> champions(const std::vector<Open>& open) const;

  const Space& space_;
  const Features& features_;
  std::vector<Sample> samples_;
  float best_ = 0;  ///< the least target
  RandomisedTrees trees_;
  std::vector<std::uint32_t> all_trees_;
  double widening_ = 1;
};

}  // namespace tuner::search

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "search/strategy/halton.hpp"
#include "search/strategy/prng.hpp"
#include "search/strategy/random_order.hpp"
#include "search/strategy/strategy.hpp"

namespace tuner::search {

/// What strategies that choose one configuration after another have in common. Nothing is asked twice, what was told
/// counts as asked even if somebody else asked it, and where the strategy has no proposal one is drawn, evenly spread,
/// from all that were not asked: so everything is asked in the end.
class Proposer : public Strategy {
 public:
  std::vector<Configuration> ask(std::size_t count) final;
  void tell(const Observation& observation) final;

 protected:
  Proposer(const Space& space, std::uint64_t seed);

  /// The configuration to ask for next, by its index in the space; nothing, or one that was asked, to draw one instead.
  virtual std::optional<std::uint64_t> propose() = 0;
  /// The time in nanoseconds that a configuration took (a lower bound if it was censored), infinity if it failed.
  virtual void learn(std::uint64_t index, double time) = 0;

  const Space& space() const { return space_; }
  Prng& prng() { return prng_; }
  bool asked(std::uint64_t index) const { return asked_.contains(index); }
  std::size_t asked_count() const { return asked_.size(); }

 private:
  static constexpr int kPoints = 5;  ///< quasi-random points tried for one that was not asked, before a random one

  std::optional<std::uint64_t> draw();

  const Space& space_;
  ScrambledHalton points_;
  RandomOrder order_;
  Prng prng_;
  std::unordered_set<std::uint64_t> asked_;
};

}  // namespace tuner::search

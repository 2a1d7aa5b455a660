#include <cmath>
#include <limits>
#include <vector>

#include "search/strategy/proposer.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// Hill climbing with restarts, "first improvement" in H. H. Hoos and T. Stützle, "Stochastic Local Search: Foundations
/// and Applications", 2004: from the best of a spread sample it asks for neighbours (one parameter changed) in random
/// order and moves to the first that is faster; where so many were not, it starts again from another sample. Fresh
/// starts did better on recorded spaces than kicks from the optimum just found ("iterated local search"), which mostly
/// lead back. While an answer is awaited, further neighbours are asked for.
class Climb final : public Proposer {
 public:
  Climb(const Space& space, std::uint64_t seed)
      : Proposer(space, seed), sample_(2 * space.parameters().size()), to_draw_(sample_) {}

 private:
  static constexpr std::size_t kPatience = 25;  ///< neighbours asked for without a gain before a restart

  std::optional<std::uint64_t> propose() override {
    if (to_draw_ > 0) {
      --to_draw_;
      return std::nullopt;
    }
    if (std::isinf(time_)) return std::nullopt;
    if (!listed_) neighbours_ = shuffled_neighbours(here_);
    listed_ = true;
    while (!neighbours_.empty() && tried_ < kPatience) {
      const std::uint64_t near = neighbours_.back();
      neighbours_.pop_back();
      if (asked(near)) continue;
      ++tried_;
      return near;
    }
    time_ = std::numeric_limits<double>::infinity();
    to_draw_ = sample_ - 1;
    return std::nullopt;
  }

  void learn(std::uint64_t index, double time) override {
    if (time >= time_) return;
    here_ = index;
    time_ = time;
    listed_ = false;
    tried_ = 0;
  }

  std::size_t sample_;
  std::size_t to_draw_;  // of the sample that the next climb starts from
  std::uint64_t here_ = 0;
  double time_ = std::numeric_limits<double>::infinity();  // of here_; infinity before a climb
  bool listed_ = false;                                    // whether neighbours_ are those of here_
  std::vector<std::uint64_t> neighbours_;                  // not yet looked at, taken from the end
  std::size_t tried_ = 0;                                  // of them asked for
};

}  // namespace

std::unique_ptr<Strategy> make_climb(const Space& space, std::uint64_t seed) {
  return std::make_unique<Climb>(space, seed);
}

}  // namespace tuner::search

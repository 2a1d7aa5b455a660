#include <cmath>
#include <limits>
#include <unordered_set>

#include "search/proposer.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

/// Iterated local search with restarts: H. R. Lourenço, O. C. Martin, T. Stützle, "Iterated local search", Handbook of
/// Metaheuristics, 2003. From the best of a random sample it climbs to the first faster neighbour (one parameter
/// changed) that it meets; where it finds none any more it changes several parameters of the best of this climb at
/// once and climbs from there, and after several such kicks without a gain it starts again elsewhere.
class Climb final : public Proposer {
 public:
  Climb(const Space& space, std::uint64_t seed) : Proposer(space, seed), sample_(2 * space.parameters().size()) {
    to_sample_ = sample_;
  }

 private:
  static constexpr std::size_t kPatience = 25;   ///< neighbours tried without a gain before a kick
  static constexpr std::uint64_t kStrength = 2;  ///< parameters changed by a kick
  static constexpr std::size_t kKicks = 5;       ///< kicks without a gain before a restart
  static constexpr int kAttempts = 100;          ///< kicks tried until one lands in the space

  struct Place {
    std::uint64_t index = 0;
    double time = std::numeric_limits<double>::infinity();
  };

  std::optional<std::uint64_t> propose() override {
    if (to_sample_ > 0) {
      --to_sample_;
      return std::nullopt;
    }
    if (std::isinf(here_.time)) return std::nullopt;
    if (landings_.empty() && tried_ < kPatience) {
      if (!listed_) {
        neighbours_ = shuffled_neighbours(here_.index);
        listed_ = true;
      }
      while (!neighbours_.empty()) {
        const std::uint64_t near = neighbours_.back();
        neighbours_.pop_back();
        if (asked(near)) continue;
        ++tried_;
        return near;
      }
    }
    if (landings_.empty()) {
      if (here_.time < home_.time) {
        home_ = here_;
        kicks_ = 0;
      }
      if (kicks_++ == kKicks) {
        here_ = home_ = {};
        kicks_ = 0;
        to_sample_ = sample_ - 1;
        return std::nullopt;
      }
    }
    const std::optional<std::uint64_t> landing = kick();
    if (landing) landings_.insert(*landing);
    return landing;
  }

  void learn(std::uint64_t index, double time) override {
    const bool landed = landings_.erase(index) > 0;
    if (landed) landings_.clear();
    if (!std::isinf(time) && (landed || time < here_.time)) {
      here_ = {index, time};
      listed_ = false;
      neighbours_.clear();
      tried_ = 0;
    }
  }

  /// The best of this climb with several parameters changed.
  std::optional<std::uint64_t> kick() {
    const Configuration from = space().at(home_.index);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Configuration to = from;
      for (std::uint64_t i = 0; i < kStrength; ++i) {
        const std::uint64_t parameter = prng().below(to.choice.size());
        to.choice[parameter] = static_cast<std::uint32_t>(prng().below(space().parameters()[parameter].values.size()));
      }
      const std::optional<std::uint64_t> index = space().index_of(to);
      if (index && !asked(*index)) return index;
    }
    return std::nullopt;
  }

  std::size_t sample_;
  std::size_t to_sample_;
  Place here_;
  Place home_;
  std::size_t tried_ = 0;
  std::size_t kicks_ = 0;
  bool listed_ = false;
  std::vector<std::uint64_t> neighbours_;       // of here_, not looked at, in random order
  std::unordered_set<std::uint64_t> landings_;  // of kicks, not yet told
};

}  // namespace

std::unique_ptr<Strategy> make_climb(const Space& space, std::uint64_t seed) {
  return std::make_unique<Climb>(space, seed);
}

}  // namespace tuner::search

#include <cmath>
#include <limits>
#include <unordered_map>

#include "search/proposer.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

/// Simulated annealing: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science
/// 220(4598), 1983. A single walker steps to a random neighbour (one parameter changed) if that is faster, and with a
/// chance that falls with the temperature if it is slower. The chance depends on the ratio of the two times, so that
/// milliseconds and seconds are searched alike. A step to a configuration that is known already costs no evaluation and
/// is made at once; while an answer is awaited, further neighbours are asked for. The walk starts at the best of a
/// random sample, and when it is cold it starts again, warm, at the best so far.
class Annealing final : public Proposer {
 public:
  Annealing(const Space& space, std::uint64_t seed, std::optional<std::uint64_t> budget)
      : Proposer(space, seed),
        sample_(2 * space.parameters().size()),
        cooling_(std::min<std::uint64_t>(budget.value_or(kCooling), kCooling)) {}

 private:
  static constexpr double kWarm = 0.3;
  static constexpr double kCold = 0.01;
  static constexpr std::uint64_t kCooling = 200;  ///< evaluations from warm to cold
  static constexpr std::size_t kFreeSteps = 200;  ///< neighbours looked at for one proposal

  struct Place {
    std::uint64_t index = 0;
    double time = std::numeric_limits<double>::infinity();
  };

  std::optional<std::uint64_t> propose() override {
    if (asked_count() < sample_ || std::isinf(here_.time)) return std::nullopt;
    for (std::size_t step = 0; step < kFreeSteps; ++step) {
      if (next_ == neighbours_.size()) {
        neighbours_ = shuffled_neighbours(here_.index);
        next_ = 0;
        if (neighbours_.empty()) break;
      }
      const std::uint64_t near = neighbours_[next_++];
      if (!asked(near)) return near;
      const auto known = times_.find(near);
      if (known != times_.end()) step_to({near, known->second});
    }
    return std::nullopt;
  }

  void learn(std::uint64_t index, double time) override {
    times_.insert_or_assign(index, time);
    if (time < best_.time) best_ = {index, time};
    if (times_.size() <= sample_) {
      move(best_);
    } else if (++cooled_ >= cooling_) {
      cooled_ = 0;
      move(best_);
    } else {
      step_to({index, time});
    }
  }

  double temperature() const {
    return kWarm * std::pow(kCold / kWarm, static_cast<double>(cooled_) / static_cast<double>(cooling_));
  }

  void step_to(const Place& place) {
    if (std::isinf(place.time)) return;
    const double chance = std::exp(std::log(here_.time / place.time) / temperature());
    if (prng().unit() < chance) move(place);
  }

  void move(const Place& place) {
    here_ = place;
    neighbours_.clear();
    next_ = 0;
  }

  std::size_t sample_;
  std::uint64_t cooling_;
  std::uint64_t cooled_ = 0;
  Place here_;
  Place best_;
  std::vector<std::uint64_t> neighbours_;  // of here_, in random order
  std::size_t next_ = 0;                   // the first of them that was not looked at
  std::unordered_map<std::uint64_t, double> times_;
};

}  // namespace

std::unique_ptr<Strategy> make_annealing(const Space& space, std::uint64_t seed, std::optional<std::uint64_t> budget) {
  return std::make_unique<Annealing>(space, seed, budget);
}

}  // namespace tuner::search

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "search/strategy/proposer.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// Simulated annealing: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science
/// 220(4598), 1983. A single walker steps to a random neighbour (one parameter changed) if that is faster, and with a
/// chance that falls with the temperature if it is slower. The chance depends on the ratio of the two times, measured
/// by how far the first times that were seen lie apart: neither milliseconds or seconds nor a space where everything
/// is alike need another temperature. A step to a configuration that is known costs no evaluation and is made at once;
/// while an answer is awaited, further neighbours are asked for. The walk starts at the best of a spread sample, and
/// when it is cold it starts again, warm, at the best so far.
class Annealing final : public Proposer {
 public:
  Annealing(const Space& space, std::uint64_t seed) : Proposer(space, seed), sample_(2 * space.parameters().size()) {}

 private:
  static constexpr double kWarm = 0.2;
  static constexpr double kCold = 0.01;
  static constexpr std::uint64_t kCooling = 30;   ///< evaluations from warm to cold
  static constexpr std::size_t kFreeSteps = 200;  ///< neighbours looked at for one proposal

  struct Place {
    std::uint64_t index = 0;
    double time = std::numeric_limits<double>::infinity();
  };

  std::optional<std::uint64_t> propose() override {
    if (asked_count() < sample_ || std::isinf(here_.time)) return std::nullopt;
    for (std::size_t step = 0; step < kFreeSteps; ++step) {
      if (neighbours_.empty()) neighbours_ = shuffled_neighbours(here_.index);
      if (neighbours_.empty()) break;
      const std::uint64_t near = neighbours_.back();
      neighbours_.pop_back();
      if (!asked(near)) return near;
      const auto known = times_.find(near);
      if (known != times_.end()) consider({near, known->second});
    }
    return std::nullopt;
  }

  void learn(std::uint64_t index, double time) override {
    times_.insert_or_assign(index, time);
    if (time < best_.time) best_ = {index, time};
    if (!std::isinf(time) && first_times_.size() < sample_) measure_spread(time);
    if (times_.size() <= sample_) {
      move(best_);
    } else if (++cooled_ >= kCooling) {
      cooled_ = 0;
      move(best_);
    } else {
      consider({index, time});
    }
  }

  /// The unit of temperature: how much slower the median of the first times is than the fastest, as a logarithm.
  void measure_spread(double time) {
    first_times_.insert(std::upper_bound(first_times_.begin(), first_times_.end(), time), time);
    spread_ = std::max(std::log(first_times_[first_times_.size() / 2] / first_times_.front()), 1e-6);
  }

  double temperature() const {
    return spread_ * kWarm * std::pow(kCold / kWarm, static_cast<double>(cooled_) / static_cast<double>(kCooling));
  }

  void consider(const Place& place) {
    if (std::isinf(place.time)) return;
    const double chance = std::exp(std::log(here_.time / place.time) / temperature());
    if (prng().unit() < chance) move(place);
  }

  void move(const Place& place) {
    here_ = place;
    neighbours_.clear();
  }

  std::size_t sample_;
  std::vector<double> first_times_;  // ascending, of the first that did not fail
  double spread_ = 1;
  std::uint64_t cooled_ = 0;  // evaluations since it was warm
  Place here_;
  Place best_;
  std::vector<std::uint64_t> neighbours_;  // of here_, not yet looked at, taken from the end
  std::unordered_map<std::uint64_t, double> times_;
};

}  // namespace

std::unique_ptr<Strategy> make_annealing(const Space& space, std::uint64_t seed) {
  return std::make_unique<Annealing>(space, seed);
}

}  // namespace tuner::search

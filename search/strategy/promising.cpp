#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "search/space/changes.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

constexpr std::size_t kAtOnce = 5;  ///< asked for before anything else
constexpr std::size_t kMost = 20;   ///< asked for in all
constexpr std::size_t kTurns = 3;   ///< after each of the strategy's own proposals

/// The best ones that differ from each other in several parameters, the later in the more: what is best elsewhere are
/// often variants of one configuration, and where that one does not carry over, neither do they. Filled up with the
/// best of the others.
std::vector<std::uint64_t> spread_out(const Space& space, std::span<const Configuration> best_first) {
  std::vector<Configuration> chosen;
  const auto choose = [&](std::size_t count, std::size_t apart) {
    for (const Configuration& configuration : best_first) {
      if (chosen.size() >= count) return;
      if (!space.contains(configuration)) continue;
      const bool far = std::all_of(chosen.begin(), chosen.end(), [&](const Configuration& other) {
        return differing(configuration, other).size() >= apart;
      });
      if (far) chosen.push_back(configuration);
    }
  };
  choose(kAtOnce, 2);
  choose(kMost, 3);
  choose(kMost, 2);
  choose(kMost, 1);
  std::vector<std::uint64_t> result;
  for (const Configuration& configuration : chosen) result.push_back(space.index_of(configuration).value());
  return result;
}

std::vector<std::uint64_t> in_order(const Space& space, std::span<const Configuration> best_first) {
  std::vector<std::uint64_t> result;
  for (const Configuration& configuration : best_first) {
    if (const auto index = space.index_of(configuration)) result.push_back(*index);
  }
  return result;
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Warm start for any strategy: what was good elsewhere is asked for first, then the strategy goes on, told of it. The
/// first five cost five evaluations where they mislead. Others take turns with the strategy's own proposals:
///   - further ones, as long as half of those asked for are faster than half of what the strategy proposed;
///   - then, if the fastest of them is faster than that, its variants with one parameter changed that has two values
///   and
///     on which all of them agree: whether some cache or kind of load pays is what differs between GPUs.
class Promising final : public Strategy {
 public:
  Promising(const Space& space, std::span<const Configuration> promising, std::size_t proven,
            std::unique_ptr<Strategy> strategy)
      : space_(space), strategy_(std::move(strategy)) {
    const std::vector<std::uint64_t> chosen = proven > 0
                                                  ? in_order(space, promising.first(std::min(proven, promising.size())))
                                                  : spread_out(space, promising);
    waiting_.assign(chosen.begin(), chosen.end());
    at_once_ = proven > 0 ? chosen.size() : kAtOnce;
  }

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> result;
    while (result.size() < count) {
      std::optional<Configuration> next = next_promising();
      if (!next) next = next_of_strategy();
      if (!next) break;
      result.push_back(std::move(*next));
    }
    return result;
  }

  void tell(const Observation& observation) override {
    strategy_->tell(observation);
    const std::optional<std::uint64_t> index = space_.index_of(observation.configuration);
    if (!index) return;
    asked_.insert(*index);
    const bool timed = observation.outcome == Outcome::ok && observation.time_ns;
    const double time = timed ? *observation.time_ns : std::numeric_limits<double>::infinity();
    const bool promising = promising_.contains(*index);
    (promising ? promising_times_ : other_times_).push_back(time);
    if (promising && time < best_time_) {
      best_time_ = time;
      best_ = *index;
    }
  }

  std::optional<Belief> belief() const override { return strategy_->belief(); }

 private:
  std::optional<Configuration> next_promising() {
    if (promising_.size() < at_once_) return take(waiting_);
    if (turns_left_ == 0 || promising_times_.empty() || other_times_.empty()) return std::nullopt;
    --turns_left_;
    const double others = median(other_times_);
    if (!(median(promising_times_) < others)) waiting_.clear();
    if (auto next = take(waiting_)) return next;
    if (!(best_time_ < others)) return std::nullopt;
    find_variants();
    return take(variants_);
  }

  std::optional<Configuration> take(std::deque<std::uint64_t>& indices) {
    while (!indices.empty() && asked_.contains(indices.front())) indices.pop_front();
    if (indices.empty()) return std::nullopt;
    const std::uint64_t index = indices.front();
    promising_.insert(index);
    asked_.insert(index);
    return space_.at(index);
  }

  void find_variants() {
    if (std::exchange(varied_, true)) return;
    const Configuration best = space_.at(best_);
    for (std::size_t i = 0; i < best.choice.size(); ++i) {
      const bool agreed = std::all_of(promising_.begin(), promising_.end(), [&](std::uint64_t index) {
        return space_.at(index).choice[i] == best.choice[i];
      });
      if (!agreed || space_.parameters()[i].values.size() != 2) continue;
      Configuration changed = best;
      changed.choice[i] = 1 - changed.choice[i];
      if (const auto index = space_.index_of(changed)) variants_.push_back(*index);
    }
  }

  std::optional<Configuration> next_of_strategy() {
    turns_left_ = kTurns;
    for (;;) {
      const std::vector<Configuration> asked = strategy_->ask(1);
      if (asked.empty()) return std::nullopt;
      if (asked_.insert(space_.index_of(asked.front()).value()).second) return asked.front();
    }
  }

  const Space& space_;
  std::unique_ptr<Strategy> strategy_;
  std::size_t at_once_ = 0;
  std::deque<std::uint64_t> waiting_;            // best first
  std::deque<std::uint64_t> variants_;           // of the best of them
  std::unordered_set<std::uint64_t> promising_;  // asked for because they are
  std::unordered_set<std::uint64_t> asked_;      // by anybody
  std::vector<double> promising_times_, other_times_;
  double best_time_ = std::numeric_limits<double>::infinity();  // of the promising
  std::uint64_t best_ = 0;
  std::size_t turns_left_ = 0;
  bool varied_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_promising(const Space& space, std::span<const Configuration> promising,
                                         std::size_t proven, std::unique_ptr<Strategy> strategy) {
  return std::make_unique<Promising>(space, promising, proven, std::move(strategy));
}

}  // namespace tuner::search

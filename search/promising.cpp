#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_set>

#include "search/strategies.hpp"

namespace tuner::search {
namespace {

constexpr std::size_t kAtOnce = 5;  ///< asked for before anything else
constexpr std::size_t kMost = 20;   ///< asked for in all
constexpr std::size_t kTurns = 3;   ///< after each of the strategy's own proposals

std::size_t differing(const Configuration& a, const Configuration& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.choice.size(); ++i) count += a.choice[i] != b.choice[i] ? 1 : 0;
  return count;
}

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
        return differing(configuration, other) >= apart;
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

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Warm start for any strategy: what was good elsewhere is asked for first, then the strategy goes on, told of it. The
/// first five cost five evaluations where they mislead. Further ones take turns with the strategy's own proposals as
/// long as half of them are faster than half of those.
class Promising final : public Strategy {
 public:
  Promising(const Space& space, std::span<const Configuration> promising, std::unique_ptr<Strategy> strategy)
      : space_(space), strategy_(std::move(strategy)) {
    const std::vector<std::uint64_t> chosen = spread_out(space, promising);
    waiting_.assign(chosen.begin(), chosen.end());
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
    (promising_.contains(*index) ? promising_times_ : other_times_).push_back(time);
  }

 private:
  std::optional<Configuration> next_promising() {
    while (!waiting_.empty() && asked_.contains(waiting_.front())) waiting_.pop_front();
    if (waiting_.empty() || (promising_.size() >= kAtOnce && (turns_left_ == 0 || !pays()))) return std::nullopt;
    const std::uint64_t index = waiting_.front();
    if (turns_left_ > 0) --turns_left_;
    promising_.insert(index);
    asked_.insert(index);
    return space_.at(index);
  }

  std::optional<Configuration> next_of_strategy() {
    turns_left_ = kTurns;
    for (;;) {
      const std::vector<Configuration> asked = strategy_->ask(1);
      if (asked.empty()) return std::nullopt;
      if (asked_.insert(space_.index_of(asked.front()).value()).second) return asked.front();
    }
  }

  bool pays() const {
    return !promising_times_.empty() && !other_times_.empty() && median(promising_times_) < median(other_times_);
  }

  const Space& space_;
  std::unique_ptr<Strategy> strategy_;
  std::deque<std::uint64_t> waiting_;            // best first
  std::unordered_set<std::uint64_t> promising_;  // asked for because they are
  std::unordered_set<std::uint64_t> asked_;      // by anybody
  std::vector<double> promising_times_, other_times_;
  std::size_t turns_left_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_promising(const Space& space, std::span<const Configuration> promising,
                                         std::unique_ptr<Strategy> strategy) {
  return std::make_unique<Promising>(space, promising, std::move(strategy));
}

}  // namespace tuner::search

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "search/strategies.hpp"

namespace tuner::search {
namespace {

/// Warm start for any strategy: what was good elsewhere is asked for first, then the strategy goes on, told of it.
/// Only so many, best first: where they mislead, they cost no more than that.
class Promising final : public Strategy {
 public:
  Promising(const Space& space, std::span<const Configuration> promising, std::unique_ptr<Strategy> strategy)
      : space_(space), strategy_(std::move(strategy)) {
    for (const Configuration& configuration : promising) {
      if (first_.size() == kMost) break;
      const std::optional<std::uint64_t> index = space.index_of(configuration);
      if (index && firsts_.insert(*index).second) first_.push_back(*index);
    }
  }

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> result;
    for (; result.size() < count && !first_.empty(); first_.pop_front()) result.push_back(space_.at(first_.front()));
    while (result.size() < count) {
      const std::vector<Configuration> asked = strategy_->ask(count - result.size());
      if (asked.empty()) break;
      for (const Configuration& configuration : asked) {
        if (!firsts_.contains(space_.index_of(configuration).value())) result.push_back(configuration);
      }
    }
    return result;
  }

  void tell(const Observation& observation) override { strategy_->tell(observation); }

 private:
  static constexpr std::size_t kMost = 5;

  const Space& space_;
  std::unique_ptr<Strategy> strategy_;
  std::deque<std::uint64_t> first_;           // still to be asked
  std::unordered_set<std::uint64_t> firsts_;  // all of them
};

}  // namespace

std::unique_ptr<Strategy> make_promising(const Space& space, std::span<const Configuration> promising,
                                         std::unique_ptr<Strategy> strategy) {
  return std::make_unique<Promising>(space, promising, std::move(strategy));
}

}  // namespace tuner::search

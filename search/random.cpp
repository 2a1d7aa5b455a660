#include <unordered_map>

#include "search/prng.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

/// Uniform sampling without replacement by the shuffle of R. Durstenfeld, "Algorithm 235: Random permutation", CACM
/// 7(7), 1964, run forwards and only as far as asked. Of the shuffled list, positions that still hold their own index
/// are not stored, so an ask costs constant time and memory whatever the size of the space.
class Random final : public Strategy {
 public:
  Random(const Space& space, std::uint64_t seed) : space_(space), prng_(seed) {}

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> result;
    while (result.size() < count && asked_ < space_.size()) result.push_back(space_.at(draw()));
    return result;
  }

  void tell(const Observation& /*observation*/) override {}

 private:
  std::uint64_t draw() {
    const std::uint64_t position = asked_ + prng_.below(space_.size() - asked_);
    const std::uint64_t drawn = take(position);
    if (position != asked_) moved_[position] = take(asked_);
    ++asked_;
    return drawn;
  }

  /// What stands at `position`, which is not looked at again unless it is filled anew.
  std::uint64_t take(std::uint64_t position) {
    const auto entry = moved_.find(position);
    if (entry == moved_.end()) return position;
    const std::uint64_t index = entry->second;
    moved_.erase(entry);
    return index;
  }

  const Space& space_;
  Prng prng_;
  std::uint64_t asked_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;  // position in the shuffled list -> index in the space
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Space& space, std::uint64_t seed) {
  return std::make_unique<Random>(space, seed);
}

}  // namespace tuner::search

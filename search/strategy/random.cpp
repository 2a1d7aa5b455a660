#include "search/strategy/random_order.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// Uniform sampling without replacement.
class Random final : public Strategy {
 public:
  Random(const Space& space, std::uint64_t seed) : space_(space), order_(space.size(), seed) {}

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> result;
    while (result.size() < count) {
      const std::optional<std::uint64_t> index = order_.next();
      if (!index) break;
      result.push_back(space_.at(*index));
    }
    return result;
  }

  void tell(const Observation& /*observation*/) override {}

 private:
  const Space& space_;
  RandomOrder order_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Space& space, std::uint64_t seed) {
  return std::make_unique<Random>(space, seed);
}

}  // namespace tuner::search

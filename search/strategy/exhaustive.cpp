#include <algorithm>

#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// Every configuration once, in the order of the space: the reference that all other strategies are compared with
/// ("full search" in C. Nugteren and V. Codreanu, "CLTune: A Generic Auto-Tuner for OpenCL Kernels", MCSoC 2015).
class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const Space& space) : space_(space) {}

  std::vector<Configuration> ask(std::size_t count) override {
    const std::uint64_t end = next_ + std::min<std::uint64_t>(count, space_.size() - next_);
    std::vector<Configuration> result;
    while (next_ < end) result.push_back(space_.at(next_++));
    return result;
  }

  void tell(const Observation& /*observation*/) override {}

 private:
  const Space& space_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const Space& space) {
  return std::make_unique<Exhaustive>(space);
}

}  // namespace tuner::search

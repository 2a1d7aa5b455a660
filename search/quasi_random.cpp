#include <cmath>
#include <numeric>

#include "search/prng.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

/// Evenly spread: however many were asked for, no stretch of the space's order is left out for long. Every next index
/// is the golden section of the space further on, around its end (C. Schretter, L. Kobbelt, P.-O. Dehaye, "Golden ratio
/// sequences for low-discrepancy sampling", Journal of Graphics Tools 16(2), 2012), the step moved to a number that has
/// no divisor in common with the count, so that each index comes once. The seed chooses where to begin.
class QuasiRandom final : public Strategy {
 public:
  QuasiRandom(const Space& space, std::uint64_t seed) : space_(space), count_(space.size()) {
    if (count_ == 0) return;
    index_ = Prng(seed).below(count_);
    step_ = static_cast<std::uint64_t>(0.6180339887498949 * static_cast<double>(count_));
    while (std::gcd(step_, count_) != 1) ++step_;
  }

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> result;
    for (; result.size() < count && asked_ < count_; ++asked_) {
      result.push_back(space_.at(index_));
      const std::uint64_t to_end = count_ - index_;
      index_ = step_ < to_end ? index_ + step_ : step_ - to_end;
    }
    return result;
  }

  void tell(const Observation& /*observation*/) override {}

 private:
  const Space& space_;
  std::uint64_t count_;
  std::uint64_t index_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t asked_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_quasi_random(const Space& space, std::uint64_t seed) {
  return std::make_unique<QuasiRandom>(space, seed);
}

}  // namespace tuner::search

#include "tuner/engine/device/spread/common_configurations.hpp"

#include <algorithm>

namespace tuner::engine {

namespace {

/// A configuration so much faster takes the common one's place.
constexpr double kFaster = 0.95;
/// What takes longer scatters so little that one sample is a reading; what takes less time, by a tenth.
constexpr double kLongNs = 2e6, kShortNs = 100e3;

}  // namespace

void CommonConfigurations::offer(const Candidate& candidate, double time_ns) {
  if (time_ns >= kFaster * best_ns_) return;
  best_ = all_.rbegin()->first + 1;
  all_[best_] = candidate;
  best_ns_ = time_ns;
}

std::vector<std::size_t> CommonConfigurations::to_read(std::size_t gpu, bool may_introduce) {
  if (best_ == known_ || introducing_ || !may_introduce) return {known_};
  introducing_ = gpu;
  introduced_ = best_;
  return {known_, introduced_, known_};
}

std::size_t CommonConfigurations::samples() const {
  return best_ns_ > kLongNs ? 1 : best_ns_ > kShortNs ? 3 : 15;
}

/// It may be the configuration's own doing. The reference runs, and something better comes.
void CommonConfigurations::fail(std::size_t common) {
  if (common == known_) known_ = 0;
  best_ = known_;
}

std::optional<std::size_t> CommonConfigurations::end_reading(std::size_t gpu, bool agree) {
  if (introducing_ != gpu) return std::nullopt;
  introducing_.reset();
  if (!agree) return introduced_;
  known_ = introduced_;
  best_ = std::max(best_, known_);
  all_.erase(all_.upper_bound(0), all_.find(known_));
  return std::nullopt;
}

}  // namespace tuner::engine

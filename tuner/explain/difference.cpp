#include "tuner/explain/difference.hpp"

#include <algorithm>
#include <cmath>

namespace tuner::explain {
namespace {

constexpr double kLeastRatio = 1.01;
/// Counters of two runs differ by this part without a reason, which matters where the times differ by little more.
constexpr double kNoise = 0.01;

std::optional<double> find(const Counters& counters, std::string_view name) {
  const auto found = counters.find(name);
  const bool is_known = found != counters.end() && std::isfinite(found->second) && found->second >= 0;
  return is_known ? std::optional(found->second) : std::nullopt;
}

bool tells_pace(const Counters& counters) {
  const auto positive = [&](std::string_view name) { return find(counters, name).value_or(0) > 0; };
  return positive(counter::kInstructions) && positive(counter::kWarpLatency) && positive(counter::kIssueActive);
}

/// Slower over faster; nothing if it does not show.
std::optional<double> ratio_that_shows(const ConfigurationFacts& slower, const ConfigurationFacts& faster) {
  std::optional<double> ratio;
  if (slower.to_other) {
    if (slower.to_other->low <= 1) return std::nullopt;
    ratio = slower.to_other->value;
  } else if (faster.to_other) {
    if (faster.to_other->high >= 1 || faster.to_other->value <= 0) return std::nullopt;
    ratio = 1 / faster.to_other->value;
  } else if (slower.time_ns && faster.time_ns && *faster.time_ns > 0) {
    ratio = *slower.time_ns / *faster.time_ns;
  }
  return ratio && std::isfinite(*ratio) && *ratio >= kLeastRatio ? ratio : std::nullopt;
}

}  // namespace

double Both::times_less() const {
  return faster > 0 ? slower / faster : slower > 0 ? HUGE_VAL : 1;
}

double Both::times_more() const {
  return slower > 0 ? faster / slower : faster > 0 ? HUGE_VAL : 1;
}

std::optional<Difference> Difference::between(const ConfigurationFacts& slower, const ConfigurationFacts& faster,
                                              const DeviceInfo& device) {
  const std::optional<double> ratio = ratio_that_shows(slower, faster);
  if (!ratio) return std::nullopt;
  Difference result;
  result.slower_ = &slower;
  result.faster_ = &faster;
  result.device_ = &device;
  result.ratio_ = *ratio;
  result.counted_ = device.sm_count > 0 && tells_pace(slower.counters) && tells_pace(faster.counters);
  return result;
}

std::optional<Both> Difference::counter(std::string_view name) const {
  const std::optional<double> of_slower = find(slower_->counters, name), of_faster = find(faster_->counters, name);
  if (!of_slower || !of_faster) return std::nullopt;
  return Both{*of_slower, *of_faster};
}

std::optional<Both> Difference::sum(std::initializer_list<std::string_view> names) const {
  std::optional<Both> total;
  for (const std::string_view name : names) {
    const std::optional<Both> one = counter(name);
    if (!one) continue;
    if (!total) total = Both{};
    total->slower += one->slower;
    total->faster += one->faster;
  }
  return total;
}

double Difference::share_of_stalls(std::initializer_list<std::string_view> reasons) const {
  if (!counted_) return 0;
  const std::optional<Both> stalls = sum(reasons), latency = counter(counter::kWarpLatency);
  if (!stalls || !latency) return 0;
  // In units of the slower one's time.
  const double saved = stalls->slower / latency->slower - stalls->faster / latency->faster / ratio_;
  return share_of_time(saved);
}

double Difference::share_of_time(double saved) const {
  return std::clamp((saved - kNoise) / (1 - 1 / ratio_), 0.0, 1.0);
}

double Difference::share_of_factor(double factor) const {
  if (!(factor > 1)) return 0;
  return std::clamp((std::log(factor) - kNoise) / std::log(ratio_), 0.0, 1.0);
}

double Difference::share_of_cycles(double cycles_per_sm) const {
  const double more = more_cycles();
  return more > 0 ? std::clamp((cycles_per_sm - kNoise * cycles_of_slower()) / more, 0.0, 1.0) : 0;
}

double Difference::cycles_of_slower() const {
  if (!counted_) return 0;
  const double instructions = *find(slower_->counters, counter::kInstructions);
  return instructions / (device_->sm_count * kSchedulers) / *find(slower_->counters, counter::kIssueActive);
}

double Difference::more_cycles() const {
  return cycles_of_slower() * (1 - 1 / ratio_);
}

}  // namespace tuner::explain

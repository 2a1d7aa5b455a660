#include "tuner/engine/measure/screen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/engine/measure/statistics.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

double screened_time_ns(std::span<const double> samples_ns, bool censored, bool interrupted) {
  if (censored || interrupted || samples_ns.size() == 2) return *std::min_element(samples_ns.begin(), samples_ns.end());
  return median(samples_ns);
}

Screen::Screen(const ScreenPolicy& policy, std::optional<double> best_ns) : policy_(policy), best_ns_(best_ns) {
  if (policy.samples < 1) {
    throw Error(Errc::bad_usage,
                fmt::format("A candidate cannot be timed with {} samples; ask for one or more.", policy.samples));
  }
}

Screen::SampleVerdict Screen::add(double sample_ns) {
  if (verdict_ != SampleVerdict::more) {
    throw Error(Errc::internal, "A sample was added to a screen that had ended; start a screen for each candidate.");
  }
  if (!is_time(sample_ns)) {
    throw Error(Errc::internal,
                fmt::format("A sample of {} ns is not a time; check it with is_time before adding it.", sample_ns));
  }
  samples_ns_.push_back(sample_ns);

  return verdict_ = judge();
}

Screen::SampleVerdict Screen::judge() const {
  const auto taken = static_cast<int>(samples_ns_.size());
  // The last sample asked for completes the candidate even when it is slow: a median is worth more than a bound.
  if (taken >= policy_.samples) return SampleVerdict::done;
  if (!policy_.early_kill || !best_ns_) return SampleVerdict::more;
  const double shortest = *std::min_element(samples_ns_.begin(), samples_ns_.end());
  if (policy_.uninterrupted_after > 0) {
    if (shortest <= policy_.enough_after_first * *best_ns_) return SampleVerdict::done;
    const bool slow = taken >= policy_.uninterrupted_after && shortest > policy_.kill_after_second * *best_ns_;
    return slow ? SampleVerdict::killed : SampleVerdict::more;
  }
  if (taken == 1 && shortest <= policy_.enough_after_first * *best_ns_) return SampleVerdict::done;
  if (taken > 2) return SampleVerdict::more;
  const double limit = taken == 1 ? policy_.kill_after_first : policy_.kill_after_second;
  return shortest > limit * *best_ns_ ? SampleVerdict::killed : SampleVerdict::more;
}

std::optional<double> Screen::time_ns() const {
  if (verdict_ == SampleVerdict::more) return std::nullopt;
  return screened_time_ns(samples_ns_, censored(), policy_.uninterrupted_after > 0);
}

}  // namespace tuner::engine

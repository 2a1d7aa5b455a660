#include "tuner/engine/measure/screen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/engine/measure/statistics.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

double screened_time_ns(std::span<const double> samples_ns, bool censored) {
  if (censored || samples_ns.size() == 2) return *std::min_element(samples_ns.begin(), samples_ns.end());
  return median(samples_ns);
}

Screen::Screen(const ScreenPolicy& policy, std::optional<double> best_ns) : policy_(policy), best_ns_(best_ns) {
  if (policy.samples < 1) {
    throw Error(Errc::bad_usage,
                fmt::format("A candidate cannot be timed with {} samples; ask for one or more.", policy.samples));
  }
}

Screen::Step Screen::add(double sample_ns) {
  if (step_ != Step::more) {
    throw Error(Errc::internal, "A sample was added to a screen that had ended; start a screen for each candidate.");
  }
  if (!is_time(sample_ns)) {
    throw Error(Errc::internal,
                fmt::format("A sample of {} ns is no time; check it with is_time before adding it.", sample_ns));
  }
  samples_ns_.push_back(sample_ns);

  // The last sample asked for completes the candidate even when it is slow: a median is worth more than a bound.
  if (samples_ns_.size() >= static_cast<std::size_t>(policy_.samples)) return step_ = Step::done;
  if (!policy_.early_kill || !best_ns_) return step_;
  if (samples_ns_.size() == 1 && sample_ns <= policy_.enough_after_first * *best_ns_) return step_ = Step::done;
  if (samples_ns_.size() <= 2) {
    const double limit = samples_ns_.size() == 1 ? policy_.kill_after_first : policy_.kill_after_second;
    if (*std::min_element(samples_ns_.begin(), samples_ns_.end()) > limit * *best_ns_) return step_ = Step::killed;
  }
  return step_;
}

std::optional<double> Screen::time_ns() const {
  if (step_ == Step::more) return std::nullopt;
  return screened_time_ns(samples_ns_, censored());
}

}  // namespace tuner::engine

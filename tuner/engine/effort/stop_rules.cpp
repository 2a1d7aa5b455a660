#include "tuner/engine/effort/stop_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/core/base/text.hpp"

namespace tuner::engine {

namespace {

/// Fewer say too little: this part of the space, within these limits; docs/results/search.md has what others miss.
constexpr std::uint64_t kPart = 6, kFewest = 100, kMost = 600;
constexpr std::size_t kTenth = 10;
constexpr std::size_t kFastest = 12;  ///< the weight of later ones is below a thousandth
constexpr double kCaution = 2;

}  // namespace

GainEstimate::GainEstimate(std::uint64_t space_size) : least_(std::clamp(space_size / kPart, kFewest, kMost)) {}

void GainEstimate::tell(std::optional<double> time_ns) {
  double best = best_.empty() ? std::numeric_limits<double>::infinity() : best_.back();
  if (time_ns && *time_ns > 0) {
    const double time = std::log(*time_ns);
    best = std::min(best, time);
    fastest_.insert(std::upper_bound(fastest_.begin(), fastest_.end(), time), time);
    if (fastest_.size() > kFastest) fastest_.pop_back();
  }
  best_.push_back(best);
}

std::optional<double> GainEstimate::expected() const {
  if (best_.size() < least_ || fastest_.size() < 3) return std::nullopt;
  const double before = best_[best_.size() / kTenth - 1];
  if (!std::isfinite(before)) return std::nullopt;
  double gap = 0;
  double chance = 0.5;
  for (std::size_t i = 1; i < fastest_.size(); ++i, chance /= 2) gap += chance * (fastest_[i] - fastest_[i - 1]);
  return std::max(std::expm1(before - best_.back()), kCaution * std::expm1(gap));
}

StopRules::StopRules(const Budget& budget, std::uint64_t space_size)
    : budget_(budget), evaluations_(budget.evaluations), gain_(space_size) {
  if (!budget.share) return;
  // A hair less, so that rounding does not make 8 of 7 % of 100.
  const auto size = static_cast<double>(space_size);
  const double share = std::ceil(*budget.share * size * (1 - 1e-12));
  const std::uint64_t most =
      *budget.share >= 1 || share >= size ? space_size : static_cast<std::uint64_t>(std::max(1.0, share));
  by_share_ = !evaluations_ || most < *evaluations_;
  if (by_share_) evaluations_ = most;
}

void StopRules::spend(const Spending& spending) {
  spending_ = spending;
  evaluations_ = spending.most;
}

bool StopRules::may_end_by_results() const {
  return weighs() || budget_.target_ns || budget_.target_speedup || budget_.roofline || budget_.idle || budget_.gain;
}

bool StopRules::may_end_early() const {
  return budget_.time || may_end_by_results();
}

void StopRules::tell(const search::Observation& observation, bool counts) {
  const bool timed = observation.outcome == Outcome::ok && observation.time_ns && !observation.censored;
  if (counts) ++told_;
  if (timed && (!best_ns_ || *observation.time_ns < *best_ns_)) best_ns_ = observation.time_ns;
  if (timed && (!idle_since_ns_ || *observation.time_ns < *idle_since_ns_ * (1 - budget_.idle_gain))) {
    idle_since_ns_ = observation.time_ns;
    idle_ = 0;
  } else if (counts) {
    ++idle_;
  }
  gain_.tell(timed ? observation.time_ns : std::nullopt);
}

bool StopRules::target_met() const {
  if (!best_ns_) return false;
  if (budget_.target_ns && *best_ns_ <= *budget_.target_ns) return true;
  return budget_.target_speedup && baseline_ns_ && *baseline_ns_ >= *budget_.target_speedup * *best_ns_;
}

std::optional<std::string> StopRules::met() const {
  if (target_met()) {
    if (budget_.target_ns && *best_ns_ <= *budget_.target_ns) {
      return fmt::format("a configuration took {}, and {} are enough", time_text(*best_ns_),
                         time_text(*budget_.target_ns));
    }
    return fmt::format("a configuration was {:.3f} times as fast as the baseline, and {:.4g} times are enough",
                       *baseline_ns_ / *best_ns_, *budget_.target_speedup);
  }
  if (budget_.idle && idle_ >= *budget_.idle && told_ >= budget_.least_for_idle) {
    return fmt::format("{} in a row {} not{} faster than the best", counted(idle_, "configuration"),
                       idle_ == 1 ? "was" : "were",
                       budget_.idle_gain > 0 ? fmt::format(" {}", percent(budget_.idle_gain)) : "");
  }
  if (weighs() && spending_ && belief_ && !spending_->pays(*belief_)) {
    return "what is believed left to gain does not pay for going on";
  }
  if (budget_.gain) {
    const auto expected = gain_.expected();
    if (expected && *expected < *budget_.gain) {
      return fmt::format("as many configurations again are expected to gain {}, less than {}", percent(*expected),
                         percent(*budget_.gain));
    }
  }
  return std::nullopt;
}

bool StopRules::out_of_time(double seconds) const {
  return budget_.time && seconds >= std::chrono::duration<double>(*budget_.time).count();
}

std::string StopRules::why_enough() const {
  if (!evaluations_) return {};
  if (by_share_) {
    return fmt::format("{} of the space, {}, {} tried", percent(*budget_.share),
                       counted(*evaluations_, "configuration"), *evaluations_ == 1 ? "was" : "were");
  }
  const std::string most = counted(*evaluations_, "configuration");
  if (spending_ && spending_->most_is_least)
    return fmt::format("more than {}, the least that is tried, do not pay", most);
  if (spending_) return fmt::format("no more than {} pay", most);
  return fmt::format("the budget of {} is spent", most);
}

std::string StopRules::why_out_of_time() const {
  if (!budget_.time) return {};
  return fmt::format("the budget of {} is spent", duration_text(std::chrono::duration<double>(*budget_.time).count()));
}

}  // namespace tuner::engine

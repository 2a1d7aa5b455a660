#include "tuner/core/report/payback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tuner/core/base/text.hpp"

namespace tuner {

namespace {

/// Three digits: the next is worth nothing, with times that scatter.
std::string launches_text(double launches) {
  launches = std::max(1.0, std::ceil(launches));
  if (launches >= 1e15) return fmt::format("{:.3g}", launches);
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(launches)) - 2));
  return grouped(static_cast<std::uint64_t>(std::llround(launches / unit) * std::llround(unit)));
}

}  // namespace

std::optional<Payback> payback(const cache::Decision& decision, double tuning_s) {
  const bool replayed = decision.origin == cache::Origin::replay;
  if (replayed || !decision.speedup || decision.configuration == decision.baseline || !(decision.time_ns > 0)) {
    return std::nullopt;
  }
  // By the paired ratio: the two times alone hold what drifted between them.
  const auto launches = [&](double speedup) -> std::optional<double> {
    if (!(speedup > 1)) return std::nullopt;
    return tuning_s * 1e9 / (decision.time_ns * (speedup - 1));
  };
  Payback result;
  result.tuning_s = tuning_s;
  result.launches = launches(*decision.speedup);
  if (decision.speedup_low && decision.speedup_high) {
    result.fewest = launches(*decision.speedup_high);
    result.most = launches(*decision.speedup_low);
    result.doubtful = !result.most;
  }
  return result;
}

std::optional<Payback> stored_payback(const cache::Decision& decision) {
  const auto found = decision.counters.find(kTuningCounter);
  if (found == decision.counters.end()) return std::nullopt;
  return payback(decision, static_cast<double>(found->second) / 1e3);
}

std::string payback_text(const Payback& payback) {
  const std::string cost = fmt::format("tuning took {}", duration_text(payback.tuning_s));
  if (!payback.launches) return fmt::format("not known to pay for itself: {}, with no gain", cost);
  const std::string launches = launches_text(*payback.launches);
  const std::string after = fmt::format("{} {}", launches, launches == "1" ? "launch" : "launches");
  if (payback.doubtful) {
    return fmt::format("not known to pay for itself: {}, and there may be no speed-up; if it is as estimated, after {}",
                       cost, after);
  }
  const std::string range = payback.fewest && payback.most ? fmt::format(" ({} to {})", launches_text(*payback.fewest),
                                                                         launches_text(*payback.most))
                                                           : std::string();
  return fmt::format("after {}{}; {}", after, range, cost);
}

}  // namespace tuner

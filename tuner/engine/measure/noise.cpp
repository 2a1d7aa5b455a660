#include "tuner/engine/measure/noise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tuner/engine/measure/interruptions.hpp"
#include "tuner/engine/measure/statistics.hpp"

namespace tuner::engine {
namespace {

constexpr double kUnknownSpread = 0.1;
constexpr std::size_t kEnoughDifferences = 4;

// One sample in a few hundred takes some tens of microseconds longer, whatever the kernel: that alone must not end the
// best. To a long kernel it is nothing.
constexpr double kDisturbanceNs = 30e3;
constexpr double kMostDisturbance = 0.25;
// Of how much slower an entrant may be: a first sample that is this good needs no second.
constexpr double kBelieved = 0.5;

constexpr int kReferenceSamples = 7;

// Drift, which makes the best time so far look better or worse than it was, is in every comparison before the race.
constexpr double kDrift = 0.02;

}  // namespace

void Noise::add(std::span<const double> samples_ns) {
  for (std::size_t i = 1; i < samples_ns.size(); ++i) {
    (i == 1 ? first_ : later_).push_back(std::log(samples_ns[i] / samples_ns[i - 1]));
  }
}

double Noise::spread() const {
  std::vector<double> deviations;
  for (const std::vector<double>& differences : {std::cref(first_), std::cref(later_)}) {
    if (differences.size() < kEnoughDifferences) continue;
    const double centre = median(differences);
    for (const double one : differences) deviations.push_back(std::abs(one - centre));
  }
  if (deviations.empty()) return kUnknownSpread;
  constexpr double kDeviationsPerMedian = 1.4826;  // of the normal distribution
  return kDeviationsPerMedian * median(deviations) / std::sqrt(2.0);
}

FinalistPolicy Noise::finalist_policy() const {
  FinalistPolicy policy;
  policy.within = std::clamp(kDrift + 3 * spread(), 0.05, 0.35) + disagreement_;
  return policy;
}

ScreenPolicy Noise::screen_policy(bool early_kill, std::optional<double> best_ns) const {
  ScreenPolicy policy{.early_kill = early_kill};
  if (!early_kill) return policy;
  const double near = 1 + finalist_policy().within;
  policy.samples = 2;
  policy.enough_after_first = 1 + finalist_policy().within * kBelieved;
  policy.kill_after_first = near + (best_ns ? std::min(kDisturbanceNs / *best_ns, kMostDisturbance) : 0);
  policy.kill_after_second = near;
  return policy;
}

ScreenPolicy Noise::interrupted_policy(bool early_kill, std::optional<double> best_ns) const {
  ScreenPolicy policy = screen_policy(early_kill, best_ns);
  if (!early_kill || !best_ns) {
    policy.samples = kReferenceSamples;
    policy.uninterrupted_after = kReferenceSamples;
    return policy;
  }
  policy.uninterrupted_after = samples_against_interruptions(*best_ns);
  policy.samples = policy.uninterrupted_after + 1;
  return policy;
}

ScreenPolicy Noise::reference_policy(bool early_kill) {
  ScreenPolicy policy{.early_kill = early_kill};
  if (early_kill) policy.samples = kReferenceSamples;
  return policy;
}

int launches_per_sample(double best_ns) {
  constexpr double kShortNs = 5e3;
  constexpr double kBatchNs = 20e3;
  constexpr int kMost = 16;
  if (best_ns >= kShortNs) return 1;
  return std::clamp(static_cast<int>(std::ceil(kBatchNs / best_ns)), 1, kMost);
}

}  // namespace tuner::engine

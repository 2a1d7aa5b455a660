#include "tuner/engine/measure/noise.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/engine/measure/statistics.hpp"

namespace tuner::engine {
namespace {

constexpr double kUnknownSpread = 0.1;
constexpr std::size_t kEnoughDifferences = 4;
constexpr int kReferenceSamples = 5;

// Drift, which makes the best time so far look better or worse than it was, is in every comparison before the race.
constexpr double kDrift = 0.02;

}  // namespace

void Noise::add(std::span<const double> samples_ns) {
  for (std::size_t i = 1; i < samples_ns.size(); ++i) {
    differences_.push_back(std::abs(std::log(samples_ns[i] / samples_ns[i - 1])));
  }
}

double Noise::spread() const {
  if (differences_.size() < kEnoughDifferences) return kUnknownSpread;
  constexpr double kDeviationsPerMedian = 1.4826;  // of the normal distribution
  return kDeviationsPerMedian * median(differences_) / std::sqrt(2.0);
}

FinalistPolicy Noise::finalist_policy() const {
  FinalistPolicy policy;
  policy.within = std::clamp(kDrift + 3 * spread(), 0.05, 0.25);
  return policy;
}

ScreenPolicy Noise::screen_policy(bool early_kill) const {
  const double within = finalist_policy().within;
  ScreenPolicy policy{.early_kill = early_kill};
  if (!early_kill) return policy;
  policy.samples = spread() < 0.02 ? 2 : 3;
  policy.kill_after_first = 1 + within + kDrift + 2 * spread();
  policy.kill_after_second = 1 + within;
  return policy;
}

ScreenPolicy Noise::reference_policy(bool early_kill) {
  ScreenPolicy policy{.early_kill = early_kill};
  if (early_kill) policy.samples = kReferenceSamples;
  return policy;
}

int launches_per_sample(double best_ns) {
  constexpr double kShortNs = 20e3;
  constexpr double kBatchNs = 50e3;
  constexpr int kMost = 16;
  if (best_ns >= kShortNs) return 1;
  return std::clamp(static_cast<int>(std::ceil(kBatchNs / best_ns)), 1, kMost);
}

}  // namespace tuner::engine

#include "tuner/engine/measure/interruptions.hpp"

#include <algorithm>
#include <cmath>

namespace tuner::engine {

int samples_against_interruptions(double time_ns) {
  constexpr double kTurnNs = 2e6;
  constexpr double kAllInterrupted = 0.005;
  constexpr int kLeast = 2, kMost = 6;
  const double interrupted = time_ns / kTurnNs;
  if (!(interrupted < 1)) return kMost;
  const double samples = std::ceil(std::log(kAllInterrupted) / std::log(interrupted));
  return static_cast<int>(std::clamp(samples, double{kLeast}, double{kMost}));
}

double uninterrupted_ns(std::span<const double> samples_ns) {
  return *std::min_element(samples_ns.begin(), samples_ns.end());
}

}  // namespace tuner::engine

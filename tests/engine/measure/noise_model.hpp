#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace tuner::engine {

/// How samples of kernels scatter on a GPU. The figures are of the order measured on an H200 for kernels of 100 us.
struct NoiseModel {
  double spread = 0.014;            ///< of single samples, lognormal
  double outliers = 0.01;           ///< fraction of samples that take a tenth longer up to twice as long
  double drift = 0.015;             ///< standard deviation of the clock's slow wandering, common to all kernels
  double drift_time_s = 0.3;        ///< over which the wandering forgets itself
  double throttle = 0.04;           ///< all kernels slower by this fraction during an episode
  double throttles_per_s = 0.5;     ///< episodes
  double throttle_length_s = 0.05;  ///< mean length of an episode
  double pause_ns = 36e3;           ///< flush and launch between two samples
};

/// A GPU to take samples from: it has a time of its own, on which its drift and its throttling run. The same seed gives
/// the same samples on every platform: the engine is standard, the distributions are spelt out here.
class SimulatedGpu {
 public:
  SimulatedGpu(const NoiseModel& model, std::uint64_t seed) : model_(model), engine_(seed) {
    drift_ = model.drift * normal();
  }

  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

  /// One sample of a kernel that takes `true_ns` when nothing disturbs it.
  double sample(double true_ns) {
    const double length_s = (true_ns + model_.pause_ns) * 1e-9;
    const double kept = std::exp(-length_s / model_.drift_time_s);
    drift_ = drift_ * kept + model_.drift * std::sqrt(1 - kept * kept) * normal();
    const double change = throttled_ ? length_s / model_.throttle_length_s : length_s * model_.throttles_per_s;
    if (uniform() < change) throttled_ = !throttled_;

    double log_factor = drift_ + model_.spread * normal();
    if (throttled_) log_factor += std::log1p(model_.throttle);
    if (uniform() < model_.outliers) log_factor += std::log1p(0.1 + 0.9 * uniform());
    const double sample_ns = true_ns * std::exp(log_factor);
    busy_s_ += (sample_ns + model_.pause_ns) * 1e-9;
    return sample_ns;
  }

  double busy_s() const { return busy_s_; }

 private:
  NoiseModel model_;
  std::mt19937_64 engine_;
  double drift_ = 0;
  bool throttled_ = false;
  double busy_s_ = 0;
};

}  // namespace tuner::engine

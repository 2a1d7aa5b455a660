#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tuner::engine {

/// How GPUs on which one task is spread compare, from a common configuration that each of them times again and again.
/// Common configurations are numbered from 0 as better ones take their place; which times they had at first on one GPU,
/// by way of those before, is what all times are related to. GPUs are numbered from 0.
class Yardstick {
 public:
  /// Readings of one configuration that differ by no more agree.
  static constexpr double kAgrees = 1.1;

  explicit Yardstick(std::size_t gpus) : readings_(gpus) {}

  /// A GPU's time of a common configuration. The first of all is what the others are compared with. False if the GPU
  /// does not agree with its last reading: what it measured in between counts for nothing, and its older readings no
  /// longer do.
  bool add(std::size_t gpu, std::size_t common, double time_ns);
  /// Whether it is known how this common configuration compares with the others.
  bool knows(std::size_t common) const { return common < units_ns_.size() && units_ns_[common] > 0; }
  void forget(std::size_t common) {
    if (knows(common)) units_ns_[common] = 0;
  }
  std::size_t readings(std::size_t gpu) const { return readings_[gpu].size(); }

  /// What the GPU's times are to be divided by: 1.05 if all takes 5 % longer there. 1 while nothing was read.
  double slowness(std::size_t gpu) const;
  /// The same by the last reading alone.
  double latest(std::size_t gpu) const { return readings_[gpu].empty() ? 1 : readings_[gpu].back(); }
  /// The least slowness of these GPUs; 1 while nothing was read.
  double fastest(std::span<const std::size_t> gpus) const;
  /// By what part the readings of these GPUs differ.
  double disagreement(std::span<const std::size_t> gpus) const;

 private:
  std::vector<std::vector<double>> readings_;  ///< of each GPU: the last few, related to the unit
  std::vector<double> units_ns_;               ///< of each common configuration; 0: not known
};

}  // namespace tuner::engine

#pragma once

#include <cstdint>
#include <optional>

#include "tuner/engine/device/worker/kernel.hpp"

namespace tuner::engine {

// How exactly the reference computes each element of its outputs decides by how much a correct candidate may differ
// where the description gives no tolerance. The reference runs kRoundedRuns times on the same inputs with its
// operations rounded at random (random_rounding.hpp); an element's spread is the most by which it then differs from
// what the reference wrote. The numbers were chosen by measurements: docs/results/rounding.md.
inline constexpr int kRoundedRuns = 8;
inline constexpr double kAcceptedSpread = 12;     ///< so many times that is still rounding
inline constexpr double kAlikeSpread = 100;       ///< so many times may be, and the report says so
inline constexpr double kPartOfNeighbours = 0.3;  ///< of the geometric mean of 64 neighbours, at least
inline constexpr double kMostSpread = 0.05;       ///< of the size of 64 neighbours in the geometric mean

/// The reference as it is launched with random rounding.
class RoundedReference {
 public:
  /// From now on this one. It is translated when it is first launched, and not again where its PTX is the same.
  void set(const Candidate& reference);
  /// Null where there is none: it has no PTX, rounds nothing, or the driver does not translate it. `seed` is of the
  /// choices, and is queued. Throws CallFailed where the context is dead.
  const LoadedKernel* prepare(std::uint32_t seed, const std::vector<ArgumentState>& arguments, const DeviceInfo& device,
                              WorkStream& stream);

 private:
  void load(const std::vector<ArgumentState>& arguments, const DeviceInfo& device);

  Candidate candidate_;
  bool is_loaded_ = false;
  std::optional<LoadedKernel> kernel_;
  CUdeviceptr seed_ = 0;
};

}  // namespace tuner::engine

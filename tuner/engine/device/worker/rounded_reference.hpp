#pragma once

#include <cstdint>
#include <optional>

#include "tuner/engine/device/worker/kernel.hpp"

namespace tuner::engine {

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

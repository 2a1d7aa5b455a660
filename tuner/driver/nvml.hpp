#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tuner::cuda {

/// What NVML tells about one GPU while it works. Optional: where libnvidia-ml.so.1 (or the file named by $TUNER_NVML)
/// is missing, or does not know the GPU, every answer is "unknown".
class Monitor {
 public:
  Monitor() = default;  ///< knows nothing
  /// The GPU with this UUID ("GPU-…").
  explicit Monitor(const std::string& uuid);

  std::string driver_version() const;  ///< "580.159.04"; empty if unknown
  std::optional<unsigned> sm_clock_mhz() const;
  /// The hardware slows the GPU down: heat, power brake, or a failing supply. Not: the ordinary power limit.
  bool slowed_down() const;
  /// Processes that compute on the GPU, this one included. In a container they may be numbers of another namespace.
  std::vector<unsigned> processes() const;

 private:
  bool ready_ = false;                      ///< the library is there
  struct NvmlDeviceTag* device_ = nullptr;  ///< NVML's handle; null: it does not know the GPU
};

}  // namespace tuner::cuda

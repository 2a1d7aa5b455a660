#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/memory/fenced_memory.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/buffers.hpp"
#include "tuner/engine/device/worker/device_support.hpp"
#include "tuner/engine/device/worker/kernel.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// Launches a kernel that met a fence: each time one buffer alone has a fence, in memory of its own, and all others are
/// as they are timed. Only where there are fences.
class FenceProber {
 public:
  FenceProber(Buffers& buffers, DeviceSupport& support, WorkStream& stream, const DeviceInfo& device,
              std::chrono::milliseconds launch_timeout)
      : buffers_(buffers), support_(support), stream_(stream), device_(device), launch_timeout_(launch_timeout) {}

  /// One after the other; `passed` counts those that ended normally. A launch that meets its fence throws CallFailed,
  /// and the context is dead.
  Verdict run(const LoadedKernel& kernel, const std::vector<FenceProbe>& probes, std::size_t& passed);

 private:
  Verdict launch(const LoadedKernel& kernel, const FenceProbe& probe);
  const ArgumentState& probed(const FenceProbe& probe) const;
  Placement place(const ArgumentState& state, const FenceProbe& probe);

  Buffers& buffers_;
  DeviceSupport& support_;
  WorkStream& stream_;
  const DeviceInfo& device_;
  std::chrono::milliseconds launch_timeout_;
  std::optional<FencedMemory> memory_;  ///< of the buffer that is probed
  std::size_t of_ = 0;                  ///< which that is
};

}  // namespace tuner::engine

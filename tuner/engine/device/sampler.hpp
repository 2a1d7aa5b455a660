#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "tuner/engine/device/buffers.hpp"
#include "tuner/engine/device/kernel.hpp"
#include "tuner/engine/device/nvml.hpp"
#include "tuner/engine/device/verdict.hpp"
#include "tuner/engine/device/work_stream.hpp"

namespace tuner::engine {

/// Times one launch at a time, between two events.
///
/// What runs before the first event hides the host: while the device is busy with it, events and launch are queued, so
/// that the time the host takes between them (5 us and more) does not lie inside the sample. With a cold cache that is
/// the flush, 28 us on an H200; with a warm one it is untimed launches of the same kernel, which also warm the cache.
/// After the device has been idle a sample is a quarter too long: one is taken and thrown away.
class Sampler {
 public:
  Sampler(Buffers& buffers, WorkStream& stream, const DeviceInfo& device, CacheMode mode,
          std::chrono::milliseconds launch_timeout);

  /// Nanoseconds of one launch. The verdict is not ok when the driver refuses it; throws StillRunning and CallFailed.
  Verdict sample(LoadedKernel& kernel, double& nanoseconds);
  int launches() const { return launches_; }
  /// Tells that the device has just been busy with something else.
  void note_activity() { last_activity_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Verdict sample_once(LoadedKernel& kernel, double& nanoseconds);
  Verdict lead_in(const LoadedKernel& kernel);
  Verdict launch(const LoadedKernel& kernel);

  Buffers& buffers_;
  WorkStream& stream_;
  const DeviceInfo& device_;
  CacheMode mode_;
  std::chrono::milliseconds launch_timeout_;
  std::uint64_t flush_bytes_;
  DeviceMemory flush_;
  Event start_, stop_;
  Clock::time_point last_activity_{};
  int launches_ = 0;
};

/// How much must be written so that nothing of the kernel's data is left in L2: a tenth more than it holds, at least 64
/// MB.
std::uint64_t flush_bytes(std::uint64_t l2_bytes);

/// Watches the SM clock. NVML is asked at most twenty times a second.
class ClockWatch {
 public:
  explicit ClockWatch(const Monitor& monitor) : monitor_(monitor) {}

  /// Call before and after a block of samples. True if since the reading before, the clock moved by more than 3 % or
  /// the hardware slowed itself down.
  bool moved();
  double mhz() const { return mhz_.value_or(0); }  ///< latest reading; 0 if unknown

 private:
  const Monitor& monitor_;
  std::optional<double> mhz_;
  std::chrono::steady_clock::time_point read_at_{};
};

}  // namespace tuner::engine

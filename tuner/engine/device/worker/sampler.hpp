#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "tuner/driver/nvml.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/buffer_copies.hpp"
#include "tuner/engine/device/worker/buffers.hpp"
#include "tuner/engine/device/worker/kernel.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// Times launches between two events: one, or a batch of them back to back where one is too short for the clock.
///
/// What runs before the first event hides the host: while the device is busy with it, events and launches are queued,
/// so that the time the host takes between them (5 us and more) does not lie inside the sample. With a cold cache that
/// is the flush, 28 us on an H200; with a warm one it is untimed launches of the same kernel, which also warm the
/// cache. With a cold cache every launch of a batch has buffers of its own, which nothing has touched since the flush.
/// After the device has been idle a sample is a quarter too long: one is taken and thrown away. So is one of a single
/// launch before a kernel's first batch.
class Sampler {
 public:
  Sampler(Buffers& buffers, WorkStream& stream, const DeviceInfo& device, Timing mode,
          std::chrono::milliseconds launch_timeout);

  /// Gets ready for samples of so many launches. The answer may be fewer, for lack of memory. Throws CallFailed.
  int provide_for(int launches);
  /// Releases what provide_for() has got: samples have one launch again.
  void release_copies() { copies_.provide(1, BufferCopies::What::inout); }
  /// Nanoseconds of one launch, as the mean of `launches`, which provide_for() has granted. The verdict is not ok when
  /// the driver refuses it; throws StillRunning and CallFailed.
  Verdict sample(LoadedKernel& kernel, int launches, double& nanoseconds);
  /// Launches the kernel so often, or until that has taken `most` on the device, in/out buffers restored before each;
  /// not timed. Fails like sample().
  Verdict use(LoadedKernel& kernel, int launches, std::chrono::nanoseconds most);
  /// One launch as a sample has it, with nothing beside it: what leads it in has ended before `begin` is called, and it
  /// has ended when this returns. Not timed; fails like sample().
  Verdict launch_alone(const LoadedKernel& kernel, const std::function<void()>& begin);
  void set_launch_timeout(std::chrono::milliseconds timeout) { launch_timeout_ = timeout; }
  int launches() const { return launches_; }
  /// Tells that the device has just been busy with something else.
  void note_activity() { last_activity_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Verdict sample_once(LoadedKernel& kernel, int launches, double& nanoseconds);
  Verdict lead_in(const LoadedKernel& kernel, int launches);
  Verdict launch(const LoadedKernel& kernel, int number = 0);
  std::chrono::milliseconds limit_of(const LoadedKernel& kernel, int leading, int batch) const;

  Buffers& buffers_;
  BufferCopies copies_;
  WorkStream& stream_;
  const DeviceInfo& device_;
  Timing mode_;
  std::chrono::milliseconds launch_timeout_;
  std::uint64_t flush_bytes_;
  DeviceMemory flush_;
  Event start_, stop_;
  Clock::time_point last_activity_{};
  int launches_ = 0;
};

/// Watches the SM clock. NVML is asked at most twenty times a second.
class ClockWatch {
 public:
  explicit ClockWatch(const Monitor& monitor) : monitor_(monitor) {}

  /// Call before and after a block of samples. True if since the reading before, the clock moved by more than 3 % or
  /// the hardware slowed itself down.
  bool moved();

 private:
  const Monitor& monitor_;
  std::optional<double> mhz_;
  std::chrono::steady_clock::time_point read_at_{};
};

}  // namespace tuner::engine

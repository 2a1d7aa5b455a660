#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "tuner/engine/device/memory/cuda.hpp"

namespace tuner::engine {

/// The one stream on which a device worker works, and how it waits: never inside the driver, because a kernel that does
/// not end would keep the call from returning.
class WorkStream {
 public:
  WorkStream() : stream_(make_stream()), done_(make_event()) {}

  CUstream get() const { return stream_.get(); }
  /// Waits until everything queued so far has run. Throws StillRunning at the limit and CallFailed for what went wrong
  /// on the device.
  void wait(std::chrono::milliseconds limit);
  /// The same for one event.
  static void wait_for(CUevent event, std::chrono::milliseconds limit);

  void copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
  /// Waits for what is queued, then reads.
  void download(std::span<std::byte> to, CUdeviceptr from);
  std::vector<std::byte> download(CUdeviceptr from, std::size_t bytes);
  /// Waits for what is queued, then writes; the bytes are needed no longer when it returns.
  void upload(CUdeviceptr to, std::span<const std::byte> bytes);
  void set_bytes(CUdeviceptr to, unsigned char value, std::size_t bytes);

 private:
  Stream stream_;
  Event done_;
};

/// For work of our own, which always ends.
inline constexpr std::chrono::milliseconds kOwnWorkLimit{60000};

}  // namespace tuner::engine

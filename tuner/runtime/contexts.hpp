#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "tuner/api.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/driver/driver.hpp"

namespace tuner {

/// Where a request is answered: one context on one GPU.
struct ContextPlace {
  std::uint64_t id = 0;  ///< unique in the program; 0 where there is none
  CUcontext context = nullptr;
  int device = 0;  ///< position among the GPUs that the driver shows
};

/// The contexts of a program as its requests meet them. The driver is opened by the first request. Safe to use from
/// several threads.
class Contexts {
 public:
  /// `device`: whose primary context is used; nothing: whatever is current.
  explicit Contexts(std::optional<int> device) : device_(device) {}
  ~Contexts();
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  /// Which context a request of this thread is for, in some nanoseconds; 0 if that is not known yet or there is none.
  std::uint64_t current_id() noexcept;

  /// The same with all there is to know. Where no context is current it is the primary context of the first GPU, which
  /// is made current as the CUDA runtime would. Throws Error{no_driver, device_lost}.
  ContextPlace current();

  /// Whether `stream`, or the legacy stream, is being captured into a graph.
  bool is_capturing(Stream stream) const noexcept;

  /// What the driver says about the GPU. Asked once. Throws Error{no_driver}.
  const DeviceInfo& info(int device);

 private:
  const cuda::Driver& open();
  ContextPlace primary(int device);

  const std::optional<int> device_;
  std::atomic<const cuda::Driver*> driver_{nullptr};
  std::atomic<std::uint64_t> primary_id_{0};  ///< of the device that was named
  std::atomic<CUcontext> primary_context_{nullptr};
  std::mutex mutex_;
  std::optional<Error> no_driver_;  ///< why there is none; it is not looked for again
  std::map<int, CUcontext> retained_;
  std::map<int, DeviceInfo> infos_;
};

/// While it lives, `context` is current in this thread and what would break a capture that is under way is allowed.
/// Throws CallFailed if the context cannot be used.
class InContext {
 public:
  explicit InContext(CUcontext context);
  ~InContext();
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  CUstreamCaptureMode capture_mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace tuner

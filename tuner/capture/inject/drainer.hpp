#pragma once

#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "tuner/capture/inject/driver_calls.hpp"

namespace tuner::capture {

/// Waits for a context in a thread of its own, because the driver's wait has no limit: a kernel may wait for something
/// that the program does later.
class Drainer {
 public:
  /// Whether the calling thread is such a thread, whose calls are none of the program's.
  static bool is_this_thread();

  explicit Drainer(const DriverCalls& driver);
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;

  /// Whether an earlier wait, which was given up, still goes on.
  bool is_waiting();
  /// Whether everything in the context has ended after so long. While an earlier wait goes on, false at once.
  bool drain(CUcontext context, std::chrono::nanoseconds patience);

 private:
  void serve();

  const DriverCalls& driver_;
  std::mutex mutex_;
  std::condition_variable changed_;
  CUcontext context_ = nullptr;  ///< that is waited for
  bool is_idle_ = false;         ///< the last one that was
};

}  // namespace tuner::capture

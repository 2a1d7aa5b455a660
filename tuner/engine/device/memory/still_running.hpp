#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

namespace tuner::engine {

/// Thrown when work on the device is still running at its limit. Like a sticky error it ends the process: nothing else
/// stops a kernel that does not end.
class StillRunning : public std::runtime_error {
 public:
  explicit StillRunning(std::chrono::milliseconds limit)
      : std::runtime_error("still running after " + std::to_string(limit.count()) + " ms"), limit_(limit) {}
  std::chrono::milliseconds limit() const noexcept { return limit_; }

 private:
  std::chrono::milliseconds limit_;
};

}  // namespace tuner::engine

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tuner::capture {

/// No thread of the program is held up longer for anything that is waited for.
inline constexpr std::chrono::seconds kLongestWait{2};

/// Keeps calls of other threads away from the driver while a launch is stored. A thread enters before a call that
/// launches, copies, allocates or frees, and leaves after it; an open gate costs two additions.
class Gate {
 public:
  void enter();
  void leave() { under_way_.fetch_sub(1); }

  /// From now on nobody enters. False, and the gate is open again, if somebody has not left after so long.
  bool close(std::chrono::milliseconds patience);
  /// Whether somebody has waited too long and went on while it was closed; then nobody waits any more.
  bool was_passed() const { return passed_.load(); }
  void open();

 private:
  std::atomic<int> under_way_ = 0;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::condition_variable opened_;
  std::atomic<bool> passed_ = false;  ///< since it was closed
};

}  // namespace tuner::capture

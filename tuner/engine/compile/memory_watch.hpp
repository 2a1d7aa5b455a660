#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace tuner::engine {

/// Whether this process has ever held more than `most` bytes of memory at once.
bool held_more_than(std::uint64_t most);

/// While it lives, looks how much memory this process has held, and calls `stop` in a thread of its own once that is
/// more than `most` bytes. `stop` does not return.
///
/// RLIMIT_DATA would need no thread, but NVRTC does not bear it: where malloc fails, it calls the source wrong in one
/// phase and crashes in another.
class MemoryWatch {
 public:
  MemoryWatch(std::uint64_t most, std::function<void()> stop);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;  ///< the last: it uses all of this
};

}  // namespace tuner::engine

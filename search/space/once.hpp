#pragma once

#include <atomic>
#include <mutex>

namespace tuner::search {

/// Has something done once, by the thread that comes first; others wait for it. What throws is not done: the next one
/// tries again. std::call_once says the same, but ends the program when an exception passes through it and the C++
/// runtime is linked statically.
class Once {
 public:
  template <typename Action>
  void run(const Action& action) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    action();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_{false};
  std::mutex mutex_;
};

}  // namespace tuner::search

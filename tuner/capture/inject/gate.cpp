#include "tuner/capture/inject/gate.hpp"

#include <thread>
#include <utility>

namespace tuner::capture {

// Both sides say first what they do and look then at what the other does, so one of them sees the other.
void Gate::enter() {
  for (;;) {
    under_way_.fetch_add(1);
    if (!closed_.load()) return;
    under_way_.fetch_sub(1);
    std::unique_lock lock(mutex_);
    if (opened_.wait_for(lock, kLongestWait, [this] { return !closed_.load(); })) continue;
    passed_ = true;
    under_way_.fetch_add(1);
    return;
  }
}

bool Gate::close(std::chrono::milliseconds patience) {
  closed_.store(true);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (under_way_.load() != 0) {
    if (std::chrono::steady_clock::now() >= deadline) {
      open();
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

bool Gate::open() {
  const std::lock_guard lock(mutex_);
  closed_.store(false);
  opened_.notify_all();
  return !std::exchange(passed_, false);
}

}  // namespace tuner::capture

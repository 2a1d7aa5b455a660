#include "tuner/capture/inject/gate.hpp"

#include <thread>

namespace tuner::capture {

// Both sides say first what they do and look then at what the other does, so one of them sees the other.
void Gate::enter() {
  for (;;) {
    under_way_.fetch_add(1);
    if (!closed_.load() || passed_.load()) return;
    under_way_.fetch_sub(1);
    std::unique_lock lock(mutex_);
    if (!opened_.wait_for(lock, kLongestWait, [this] { return !closed_.load() || passed_.load(); })) passed_ = true;
  }
}

bool Gate::close(std::chrono::milliseconds patience) {
  passed_.store(false);
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

void Gate::open() {
  const std::lock_guard lock(mutex_);
  closed_.store(false);
  opened_.notify_all();
}

}  // namespace tuner::capture

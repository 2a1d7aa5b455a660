#include "tuner/engine/compile/memory_watch.hpp"

#include <sys/resource.h>

#include <chrono>
#include <utility>

namespace tuner::engine {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{10};  // 20 MB at the speed at which compilers take memory

}  // namespace

// Not from /proc/self: a confined worker may not open it.
bool held_more_than(std::uint64_t most) {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 && static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 > most;
}

MemoryWatch::MemoryWatch(std::uint64_t most, std::function<void()> stop)
    : thread_([this, most, stop = std::move(stop)] {
        std::unique_lock lock(mutex_);
        while (!ended_.wait_for(lock, kBetweenLooks, [this] { return ending_; })) {
          if (held_more_than(most)) stop();
        }
      }) {}

MemoryWatch::~MemoryWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace tuner::engine

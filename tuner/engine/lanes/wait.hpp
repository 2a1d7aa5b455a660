#pragma once

#include <chrono>
#include <span>
#include <vector>

namespace tuner::engine {

/// Sleeps until one of `fds` is readable, `until` has come, or a signal arrives.
void wait_readable(std::span<const int> fds, std::chrono::steady_clock::time_point until);

/// Sleeps until one of the lanes wants to be polled, but not beyond `until`.
template <typename... Lanes>
void wait_for(std::chrono::steady_clock::time_point until, const Lanes&... lanes) {
  std::vector<int> fds;
  const auto look_at = [&](const auto& lane) {
    for (const int fd : lane.wait_fds()) fds.push_back(fd);
    until = std::min(until, lane.next_deadline());
  };
  (look_at(lanes), ...);
  wait_readable(fds, until);
}

}  // namespace tuner::engine

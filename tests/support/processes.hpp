#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/support/files.hpp"
#include "tests/support/text.hpp"

namespace tuner::test {

/// Waits for the end of a process, for two minutes at most: it is gone, or only waiting to be collected by what
/// inherited it.
inline bool has_ended(pid_t pid) {
  using Clock = std::chrono::steady_clock;
  for (const auto give_up = Clock::now() + std::chrono::minutes(2); Clock::now() < give_up;) {
    const std::string text = read_bytes("/proc/" + std::to_string(pid) + "/stat");
    if (text.empty() || contains(text, ") Z ")) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

}  // namespace tuner::test

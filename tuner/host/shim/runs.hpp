#pragma once

#include <cstddef>

#include "tuner/host/shim/launch.hpp"

namespace tuner::host {

class Buffers;

/// How often each case runs, and how. Runs 1 and 2 differ from run 0 in what memory that nobody wrote holds, the
/// others in the order of threads and blocks.
struct Run {
  Schedule schedule;
  unsigned char poison;
};
inline constexpr unsigned char kPoison = 0xff;
/// Small in every floating type: what is added to it changes it, so that a sum with it does not look unwritten.
inline constexpr unsigned char kOtherPoison = 0x3b;
/// With it shared memory and scratch hold NaN in every floating type: all else, times the zero of a padded tile, is 0.
inline constexpr unsigned char kPoisonOfNan = 0xef;
inline constexpr std::size_t kRunsOverPoison = 3;  // these come first
/// Shared memory and scratch hold another one: what was read there and written to an output must not look unwritten.
inline constexpr unsigned char kShared = 0x10;
inline constexpr Run kRuns[] = {{Schedule::forward, kPoison},
                                {Schedule::forward, kOtherPoison},
                                {Schedule::forward, kPoisonOfNan},
                                {Schedule::reverse, kPoison},
                                {Schedule::shuffled, kPoison}};
inline constexpr std::size_t kRunCount = sizeof kRuns / sizeof kRuns[0];

/// Writes one line to the file of events, at once.
__attribute__((format(printf, 1, 2))) void event(const char* format, ...);

/// Who watches accesses is told what the buffers are. Whether it wants to see this run.
bool watch_case(std::size_t number, std::size_t run, const Buffers& buffers);

}  // namespace tuner::host

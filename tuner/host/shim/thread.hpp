#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/host/shim/fiber.hpp"
#include "tuner/host/shim/launch.hpp"

namespace tuner::host {

inline constexpr unsigned kLanes = 32;

/// An asynchronous copy that is under way.
struct Copy {
  std::uint64_t group;
  void* to;
  int size;
  std::array<unsigned char, 16> bytes;
};

/// What a lane brings to a meeting of its warp, and what it takes away.
struct Exchange {
  unsigned mask = 0;
  int source_lane = 0;
  std::size_t size = 0;
  std::array<unsigned char, 16> bytes;      // given, then received
  unsigned long long (*all)[32] = nullptr;  // where everybody's word goes, if anywhere
};

/// One CUDA thread.
struct Thread {
  enum class State { ready, at_barrier, at_warp, at_mask, finished };

  Fiber fiber;
  unsigned number = 0;
  Index3 index;
  State state = State::ready;
  Spot spot{nullptr, 0};  // where it waits
  int vote = 0;           // brought to a barrier; then how many were not zero
  Exchange exchange;
  std::vector<Copy> copies;  // under way, oldest group first
  std::uint64_t open_group = 0;
};

/// The one that runs.
Thread& current_thread();
/// Of the block that runs; null beyond its last thread, and between launches.
Thread* thread_of_block(unsigned number);
/// The launch ends with this; what is on the thread's stack is not destroyed.
[[noreturn]] void fail(std::string&& sentence, Spot spot);

}  // namespace tuner::host

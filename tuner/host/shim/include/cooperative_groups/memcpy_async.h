#pragma once

#include <stdint.h>

#include "tuner/host/shim/include/cooperative_groups.h"

namespace cooperative_groups {

/// Each thread of the group copies its share, asynchronously in words of four bytes where the addresses allow that.
template <typename Group, typename To, typename From>
void memcpy_async(const Group& group, To* to, const From* from, size_t bytes) {
  auto* const destination = reinterpret_cast<unsigned char*>(to);
  const auto* const source = reinterpret_cast<const unsigned char*>(from);
  const bool in_words = (reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % 4 == 0;
  const size_t words = in_words ? bytes / 4 : 0;
  for (size_t i = group.thread_rank(); i < words; i += group.size())
    tuner::host::copy_async(destination + 4 * i, source + 4 * i, 4);
  for (size_t i = 4 * words + group.thread_rank(); i < bytes; i += group.size()) destination[i] = source[i];
  tuner::host::commit_copies();
}

template <unsigned Groups, typename Group>
void wait_prior(const Group& group, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  tuner::host::wait_prior(static_cast<int>(Groups));
  group.sync(line, file);
}
template <typename Group>
void wait(const Group& group, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  wait_prior<0>(group, line, file);
}

}  // namespace cooperative_groups

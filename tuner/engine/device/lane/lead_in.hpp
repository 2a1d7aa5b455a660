#pragma once

#include <algorithm>
#include <cstdint>

namespace tuner::engine {

/// Untimed launches of a kernel that come before each of its samples when the cache is warm, at most.
inline constexpr int kMaxLeadIn = 16;

/// For how long they keep the device busy, where they are not too many for that.
inline constexpr double kLeadInNs = 50000;

/// How much must be written so that nothing of the kernel's data is left in L2: a tenth more than it holds, at least 64
/// MB.
inline std::uint64_t flush_bytes(std::uint64_t l2_bytes) {
  constexpr std::uint64_t kMiB = 1024 * 1024;
  return std::max<std::uint64_t>(64 * kMiB, (l2_bytes + l2_bytes / 10 + kMiB - 1) / kMiB * kMiB);
}

}  // namespace tuner::engine

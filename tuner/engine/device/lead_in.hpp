#pragma once

namespace tuner::engine {

/// Untimed launches of a kernel that come before each of its samples when the cache is warm, at most.
inline constexpr int kMaxLeadIn = 16;

}  // namespace tuner::engine

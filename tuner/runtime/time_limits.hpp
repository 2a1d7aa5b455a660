#pragma once

#include <algorithm>
#include <chrono>

namespace tuner {

/// The moment `limit` from now. "No limit" may be any duration, however long.
inline std::chrono::steady_clock::time_point after(std::chrono::milliseconds limit) {
  constexpr std::chrono::hours kForEver{24 * 365};
  return std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(limit, kForEver);
}

}  // namespace tuner

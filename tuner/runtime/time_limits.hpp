#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tuner {

/// The moment `limit` from now. "No limit" may be any duration, however long.
inline std::chrono::steady_clock::time_point after(std::chrono::milliseconds limit) {
  constexpr std::chrono::hours kForEver{24 * 365};
  return std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(limit, kForEver);
}

inline std::int64_t now_unix_ms() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace tuner

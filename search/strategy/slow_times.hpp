#pragma once

#include <algorithm>
#include <cmath>

namespace tuner::search {

/// The logarithm of a time as models learn it: above `limit` by a fifth of the logarithm of the excess, measured by how
/// far the best is below. How slow the slow ones are teaches little about where the fast ones are.
inline float compressed(float target, float limit, float best) {
  constexpr float kSlope = 0.2F, kLeastScale = 1e-3F;
  if (target <= limit) return target;
  const float scale = std::max(kLeastScale, limit - best);
  return limit + kSlope * scale * std::log1p((target - limit) / scale);
}

}  // namespace tuner::search

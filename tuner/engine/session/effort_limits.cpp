#include "tuner/engine/session/effort_limits.hpp"

#include <algorithm>

namespace tuner::engine {

namespace {

constexpr std::uint64_t kQuick = 60;
/// Searched completely by `normal`: stopping would save little.
constexpr std::uint64_t kSmall = 300;
/// `normal` ends when so many in a row, or this part of the space, brought less than `kWorthwhile`. Larger spaces hide
/// their best better, and have more time to save.
constexpr std::uint64_t kLeastIdle = 40, kMostIdle = 400, kPartIdle = 16;
constexpr double kWorthwhile = 0.01;

}  // namespace

Budget limits_of(Effort effort, std::uint64_t space_size) {
  Budget limits;
  if (effort == Effort::quick && space_size > kQuick) limits.evaluations = kQuick;
  if (effort == Effort::normal && space_size > kSmall) {
    limits.idle = std::clamp(space_size / kPartIdle, kLeastIdle, kMostIdle);
    limits.idle_gain = kWorthwhile;
  }
  return limits;
}

}  // namespace tuner::engine

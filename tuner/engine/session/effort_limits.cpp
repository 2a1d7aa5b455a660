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

Budget limits_of(Effort effort, std::uint64_t space_size, std::uint64_t known_problems) {
  Budget limits;
  const std::uint64_t quick = known_problems > 0 ? kLeastIdle : kQuick;
  if (effort == Effort::quick && space_size > quick) limits.evaluations = quick;
  if (effort != Effort::normal) return limits;
  // Each problem that is known leaves less to find out on the next: all together cost what a logarithm of their number
  // would, each for itself.
  const std::uint64_t alone =
      space_size > kSmall ? std::clamp(space_size / kPartIdle, kLeastIdle, kMostIdle) : space_size;
  const std::uint64_t idle = std::max(kLeastIdle, alone / (1 + known_problems));
  if (idle >= space_size) return limits;
  limits.idle = idle;
  limits.idle_gain = kWorthwhile;
  return limits;
}

}  // namespace tuner::engine

#include "tuner/engine/session/effort_limits.hpp"

#include <algorithm>

namespace tuner::engine {

namespace {

constexpr std::uint64_t kQuick = 60;
/// Searched completely by `normal`: stopping would save little.
constexpr std::uint64_t kSmall = 300;
/// `normal` ends when so many in a row, or this part of the space, brought less than `kWorthwhile`. Larger spaces hide
/// their best better, and have more time to save.
constexpr std::uint64_t kLeastIdle = 24, kMostIdle = 180, kPartIdle = 27;
constexpr double kWorthwhile = 0.01;
/// So many times as many are tried in all: what was good at once may be the best of a bad basin.
constexpr std::uint64_t kWhole = 2;
/// However many problems are known: for the `quick` search of another, and in a row for its `normal` one.
constexpr std::uint64_t kLeastKnown = 40;

}  // namespace

Budget limits_of(Effort effort, std::uint64_t space_size, std::uint64_t known_problems) {
  Budget limits;
  const std::uint64_t quick = known_problems > 0 ? kLeastKnown : kQuick;
  if (effort == Effort::quick && space_size > quick) limits.evaluations = quick;
  const bool is_small = space_size <= kSmall;
  if (effort != Effort::normal || (is_small && known_problems == 0)) return limits;
  // Each problem that is known leaves less to find out on the next: all together cost what a logarithm of their number
  // would, each for itself.
  const std::uint64_t alone =
      is_small ? space_size / kWhole : std::clamp(space_size / kPartIdle, kLeastIdle, kMostIdle);
  const std::uint64_t share = alone / (1 + known_problems);
  const std::uint64_t idle = known_problems > 0 ? std::max(kLeastKnown, share) : share;
  if (idle >= space_size) return limits;
  limits.idle = idle;
  limits.idle_gain = kWorthwhile;
  limits.least_for_idle = kWhole * share;
  return limits;
}

}  // namespace tuner::engine

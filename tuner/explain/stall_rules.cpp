#include <fmt/format.h>

#include <array>

#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

struct StallReason {
  std::string_view counter;
  const char* name;
};

constexpr std::array<StallReason, 10> kReasons{{
    {counter::kLongScoreboard, "long-scoreboard stalls"},
    {counter::kShortScoreboard, "short-scoreboard stalls"},
    {counter::kLgThrottle, "lg-throttle stalls"},
    {counter::kMioThrottle, "mio-throttle stalls"},
    {counter::kMathPipeThrottle, "math-pipe-throttle stalls"},
    {counter::kWait, "stalls for fixed latencies (wait)"},
    {counter::kNotSelected, "stalls of warps that were not selected"},
    {counter::kNoInstruction, "stalls for want of an instruction"},
    {counter::kDrain, "stalls until stores are done (drain)"},
    {counter::kBarrier, "stalls at barriers"},
}};

std::optional<Finding> of_reason(const Difference& difference, const StallReason& reason, std::string_view cause,
                                 Claim claim, double least) {
  const auto stalls = difference.counter(reason.counter);
  const double share = difference.share_of_stalls({reason.counter});
  if (!stalls || share < least || stalls->times_less() < 1.1) return std::nullopt;
  return Finding{.cause = cause,
                 .claim = claim,
                 .sentence = fmt::format("{} {}", reason.name,
                                         moved_text(stalls->slower, stalls->faster, "cycles an instruction")),
                 .slower = stalls->slower,
                 .faster = stalls->faster,
                 .strength = share};
}

}  // namespace

std::optional<Finding> barriers(const Difference& difference) {
  return of_reason(difference, kReasons.back(), "barriers", Claim::cause, 0.2);
}

std::optional<Finding> most_stalls(const Difference& difference) {
  std::optional<Finding> most;
  for (const StallReason& reason : kReasons) {
    if (reason.counter == counter::kBarrier) continue;
    auto finding = of_reason(difference, reason, "stalls", Claim::consequence, 0.3);
    if (finding && (!most || finding->strength > most->strength)) most = std::move(finding);
  }
  return most;
}

}  // namespace tuner::explain

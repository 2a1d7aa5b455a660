#include "tuner/engine/searching/roofline_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/text.hpp"
#include "tuner/engine/measure/statistics.hpp"

namespace tuner::engine {

/// What part of the roofline the time of an entry is; nothing where nobody asked, or where it shows nothing.
std::optional<double> RooflineRule::share(EntryId entry, std::optional<double> time_ns) const {
  if (!options_.roofline || !time_ns || work_is_wrong_) return std::nullopt;
  const auto bound = roofline_bound(*options_.roofline, task_, candidates_[entry].configuration);
  if (!bound) return std::nullopt;
  return bound->time_ns / *time_ns;
}

bool RooflineRule::is_near(EntryId entry, std::optional<double> time_ns) const {
  const auto reached = share(entry, time_ns);
  return reached && is_enough(*reached);
}

void RooflineRule::tell(const TellItem& told) {
  if (told.observation.outcome != Outcome::ok || told.observation.censored) return;
  const auto reached = share(told.entry, told.observation.time_ns);
  if (!reached || !is_believable(told.entry, *told.observation.time_ns, *reached)) return;
  if (is_enough(*reached) && candidates_.has_binary(told.entry)) near_ = Near{told.entry, *reached};
}

/// A time far below the bound turns the rule off.
bool RooflineRule::is_believable(EntryId entry, double time_ns, double share) {
  if (share <= 1 + kRooflineTolerance) return true;
  work_is_wrong_ = true;
  const search::Configuration& configuration = candidates_[entry].configuration;
  const auto bound = roofline_bound(*options_.roofline, task_, configuration);
  observer_.warning(fmt::format(
      "The declared work is more than the kernel does: {} takes {}, but {}, which this GPU was measured to reach. "
      "--stop-at is ignored; correct `work` to the least that the kernel must do, or, if it is right, have the GPU "
      "measured anew with --fresh.",
      candidates_.text(entry), time_text(time_ns), bound_text(*bound, *options_.roofline, task_, configuration)));
  return false;
}

void RooflineRule::measure_again() {
  const Near near = *near_;
  near_.reset();
  is_measured_again_ = true;
  device_.screen(candidates_.candidate(near.entry), std::nullopt, [this, near](const DeviceReply& reply) {
    is_measured_again_ = false;
    // A GPU has its hiccups, and later sessions believe the row: the race decides.
    if (reply.outcome == Outcome::illegal_access && !reply.confirmed) return;
    if (reply.outcome != Outcome::ok) {
      late_failures_.push_back({near.entry, failure_of(reply)});
      return;
    }
    if (reply.timed_run().samples_ns.empty()) return;
    const double time_ns = median(reply.timed_run().samples_ns);
    const auto reached = share(near.entry, time_ns);
    if (!reached || !is_believable(near.entry, time_ns, *reached) || !is_enough(*reached)) return;
    met_ = fmt::format("a configuration reached {} of the roofline, twice, and {} are enough",
                       percent(std::min(*reached, near.share)), percent(*options_.budget.roofline));
  });
}

}  // namespace tuner::engine

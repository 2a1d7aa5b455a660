#include "cache/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

constexpr std::string_view kUnknownOrigin = "unknown";

class FiniteCheck {
 public:
  FiniteCheck(std::string_view kind, std::string_view configuration) : kind_(kind), configuration_(configuration) {}

  void operator()(std::string_view field, double value) const {
    if (std::isfinite(value)) return;
    throw Error(Errc::internal,
                fmt::format("The {} for configuration \"{}\" has {} = {}, which is not a number that can "
                            "be stored: please report this as a bug.",
                            kind_, configuration_, field, value));
  }
  void operator()(std::string_view field, const std::optional<double>& value) const {
    if (value) (*this)(field, *value);
  }

 private:
  std::string_view kind_;
  std::string_view configuration_;
};

template <class Row>
void require_known_origin(std::string_view kind, const Row& row) {
  if (to_string(row.origin) != kUnknownOrigin) return;
  throw Error(Errc::internal, fmt::format("The {} for configuration \"{}\" has the origin {}, which does not exist: "
                                          "please report this as a bug.",
                                          kind, row.configuration, static_cast<int>(row.origin)));
}

void require_known_outcome(const Trial& trial) {
  const auto is_it = [&](const OutcomeName& known) { return known.outcome == trial.outcome; };
  if (std::any_of(kOutcomeNames.begin(), kOutcomeNames.end(), is_it)) return;
  throw Error(Errc::internal, fmt::format("The trial for configuration \"{}\" has the outcome {}, which does not "
                                          "exist: please report this as a bug.",
                                          trial.configuration, static_cast<int>(trial.outcome)));
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::imported:
      return "imported";
    case Origin::replay:
      return "replay";
  }
  return kUnknownOrigin;
}

void require_storable(const Trial& trial) {
  require_known_outcome(trial);
  require_known_origin("trial", trial);
  const FiniteCheck finite("trial", trial.configuration);
  finite("time_ns", trial.time_ns);
  for (const double sample : trial.samples_ns) finite("samples_ns", sample);
  finite("occupancy", trial.facts.occupancy);
  finite("compile_ms", trial.compile_ms);
  finite("verify_ms", trial.verify_ms);
  finite("timing_ms", trial.timing_ms);
}

void require_storable(const Decision& decision) {
  require_known_origin("decision", decision);
  const FiniteCheck finite("decision", decision.configuration);
  finite("time_ns", decision.time_ns);
  finite("baseline_time_ns", decision.baseline_time_ns);
  finite("speedup", decision.speedup);
  finite("speedup_low", decision.speedup_low);
  finite("speedup_high", decision.speedup_high);
  finite("confidence", decision.confidence);
  for (const Tie& tie : decision.ties) finite("relative_time", tie.relative_time);
}

std::int64_t stamp(std::int64_t unix_ms) {
  if (unix_ms != 0) return unix_ms;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace tuner::cache

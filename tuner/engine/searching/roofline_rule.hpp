#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_failure.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/session_observer.hpp"
#include "tuner/engine/candidates/session_options.hpp"

namespace tuner::engine {

/// Ends a search when a configuration reaches enough of the roofline (Budget::roofline): what does is measured again,
/// and if it does then too, the rule is met. A time far below the bound shows that the declared work is wrong; that is
/// a warning, and the rule is off from then on. Everything handed over outlives it.
class RooflineRule {
 public:
  RooflineRule(const Task& task, const SessionOptions& options, const Candidates& candidates, DeviceSession& device,
               Observer& observer)
      : task_(task), options_(options), candidates_(candidates), device_(device), observer_(observer) {}

  /// Whether this time of an entry is near enough: what an earlier session measured so is measured anew.
  bool is_near(EntryId entry, std::optional<double> time_ns) const;
  void tell(const TellItem& told);
  /// Measures again what waits for it. The device must want a candidate.
  void measure_again();
  bool waits() const { return near_.has_value(); }
  /// Something waits to be measured again, or is: nothing is asked for or told meanwhile, so that a seed ends the
  /// search in the same place.
  bool is_deciding() const { return waits() || is_measured_again_; }
  /// What failed when it was measured again, although it had run.
  const std::vector<LateFailure>& late_failures() const { return late_failures_; }
  /// Why the search ends; nothing as long as it does not.
  const std::optional<std::string>& met() const { return met_; }

 private:
  struct Near {
    EntryId entry;
    double share;
  };

  std::optional<double> share(EntryId entry, std::optional<double> time_ns) const;
  bool is_believable(EntryId entry, double time_ns, double share);
  bool is_enough(double share) const { return options_.budget.roofline && share >= *options_.budget.roofline; }

  const Task& task_;
  const SessionOptions& options_;
  const Candidates& candidates_;
  DeviceSession& device_;
  Observer& observer_;
  std::optional<Near> near_;  ///< to be measured again
  std::vector<LateFailure> late_failures_;
  bool is_measured_again_ = false;
  bool work_is_wrong_ = false;
  std::optional<std::string> met_;
};

}  // namespace tuner::engine

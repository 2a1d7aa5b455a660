#pragma once

#include <optional>

#include "tuner/cli/explain/measuring_request.hpp"
#include "tuner/cli/explain/side.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/engine/comparison/path.hpp"
#include "tuner/engine/comparison/side_by_side.hpp"
#include "tuner/explain/explanation.hpp"

namespace tuner::cli {

/// What `tuner explain` was asked for.
struct ExplainRequest : MeasuringRequest {
  Side to, from;
  engine::PathOptions path;
  bool with_counters = false, with_path = true;
};

/// Measures one configuration against another and says why their times differ. Everything handed over outlives it.
class Explainer {
 public:
  /// Throws Error{bad_usage} for sides that name no valid configuration of the task.
  Explainer(const ExplainRequest& request, const engine::SessionParts& parts, const Task& task,
            const cache::Database* store);

  /// What the GPU reaches, where the kernel declares its work: measured once and stored. Before `measure`.
  /// Warns and goes on without where it cannot be measured.
  void add_roofline();
  /// Times both and the path between them. False if it was interrupted. Throws Error{baseline_failed} where one of the
  /// two does not run, or fails while it is timed.
  bool measure();
  /// Has the hardware count, in a worker of its own, since what is timed beside a profiler is slower. The worker of the
  /// parts may be gone by then, with its memory. Trouble costs the counters and nothing else.
  void count();
  explain::Explanation conclude();

 private:
  void require_running(const std::vector<std::size_t>& both) const;
  void find_the_path(const std::vector<std::size_t>& both);
  void race(const std::vector<std::size_t>& both);
  void add_bound();

  const ExplainRequest& request_;
  const Task& task_;
  const search::Configuration from_, to_;
  const engine::SessionParts parts_;
  engine::SideBySide side_by_side_;
  std::optional<Roofline> rates_;
  explain::Explanation found_;
};

}  // namespace tuner::cli

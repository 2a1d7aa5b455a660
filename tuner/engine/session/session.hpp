#pragma once

#include "tuner/core/report/report.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"

namespace tuner::engine {

/// Tunes one task: asks the strategy, compiles, verifies, times, races the finalists, confirms the winner, records
/// everything. Failures of candidates are rows. Throws Error when there is nothing to compare with (baseline_failed),
/// the device is lost, or the toolkit is missing; what was measured before is in the store by then. A store that fails
/// is a warning: the session goes on and the report says so.
TuneReport run_session(const Task& task, const SessionOptions& options, const SessionParts& parts);

}  // namespace tuner::engine

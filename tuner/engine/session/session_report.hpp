#pragma once

#include <map>
#include <optional>

#include "tuner/core/report/report.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/session/final_race.hpp"

namespace tuner::engine {

/// What a finished session knows.
struct SessionFacts {
  const Task& task;
  const SessionOptions& options;
  const cache::Trial& common;
  const Candidates& candidates;
  std::optional<EntryId> baseline;
  std::optional<EntryId> serving;           ///< what a program uses now
  const std::optional<FinalResult>& final;  ///< nothing when there was no race
  const std::map<Outcome, FailureReport>& failures;
  std::vector<EntryId> warm_start;  ///< what won elsewhere and was tried
};

/// The report, decision included, but for what only the session's clock and log know. Without a race the best screened
/// configuration stands as the winner, with nothing claimed about it.
TuneReport build_report(const SessionFacts& facts);

}  // namespace tuner::engine

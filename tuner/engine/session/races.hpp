#pragma once

#include <optional>
#include <set>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_failure.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/measure/finalists.hpp"
#include "tuner/engine/searching/search_loop.hpp"
#include "tuner/engine/searching/shared_parts.hpp"
#include "tuner/engine/session/awkward_sizes.hpp"
#include "tuner/engine/session/final_race.hpp"

namespace tuner::engine {

/// The races that follow the search of a session: one, and more of them while entrants fail that had kept others out.
/// Everything handed over outlives this.
class Races {
 public:
  Races(const Task& task, const SessionOptions& options, const SessionParts& parts, const SharedParts& shared,
        SearchLoop& search, AwkwardSizes& awkward_sizes);

  /// Races for the winner, unless nothing could take an earlier one's place, or the session was stopped. Throws as
  /// run_session does.
  void run();
  /// The entry was timed and failed afterwards: it is recorded, and does not race.
  void record_failure(EntryId entry, const CandidateFailure& failure);

  const std::optional<FinalResult>& result() const { return final_; }  ///< of the last race; nothing: there was none
  double gpu_ms() const { return racing_gpu_ms_; }                     ///< of all races

 private:
  bool may_win() const;
  bool race_once();
  void compile_ahead(const std::vector<Finalist>& entrants);
  FinalRaceOptions race_options(const std::vector<Screened>& pool);
  bool left_out(const std::vector<Finalist>& entrants) const;
  std::vector<Screened> screened() const;
  void add_serving(std::vector<Finalist>& entrants) const;
  EntryId representative(EntryId entry) const;

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  Candidates& candidates_;
  DeviceSession& device_;
  TrialJournal& journal_;
  SearchLoop& search_;
  const Incumbents& incumbents_;
  AwkwardSizes& awkward_sizes_;
  std::optional<FinalResult> final_;
  double racing_gpu_ms_ = 0;
  std::set<EntryId> raced_;   ///< in any race
  std::set<EntryId> failed_;  ///< in a race or after it, with their twins
};

}  // namespace tuner::engine

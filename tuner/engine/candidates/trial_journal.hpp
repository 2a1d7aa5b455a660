#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "cache/store/store.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/engine/candidates/candidate_failure.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/session_observer.hpp"
#include "tuner/engine/candidates/session_options.hpp"

namespace tuner::engine {

/// What a session writes down: a row for each finished trial, binaries to quarantine, the decision, and a summary of
/// the failures. Rows go to the store in batches, at most SessionOptions::row_delay late: a commit costs a disk flush,
/// a trial is milliseconds. A store that fails three times in a row costs one warning; from then on nothing is written,
/// and tuning goes on. Used from the session's thread.
class TrialJournal {
 public:
  /// Everything handed over outlives the journal.
  TrialJournal(cache::Store& store, Observer& observer, const SessionOptions& options)
      : store_(store), observer_(observer), options_(options) {}
  /// Writes what is left; errors were warned about.
  ~TrialJournal() { flush(); }
  TrialJournal(const TrialJournal&) = delete;
  TrialJournal& operator=(const TrialJournal&) = delete;

  /// Records a finished entry. One that was taken over from an earlier session has its row already.
  void add(const Entry& finished);
  /// The entry was timed and failed afterwards: its row stays true, and a second one says what happened. The same
  /// happened to all entries that share its binary and launch; together they count as one failure.
  void add_late_failure(const Candidates& candidates, EntryId entry, const CandidateFailure& failure);
  /// A binary that ended its worker, and did so again alone, is not launched again in later sessions. Other failures,
  /// and replayed ones, leave no mark.
  void quarantine_if_confirmed(const Entry& entry, const CandidateFailure& failure);
  /// Its row; nothing if it could not be stored.
  std::optional<std::int64_t> record(const cache::Decision& decision) noexcept;
  /// What belongs to the decision in this row. Trouble costs one warning: the decision is stored.
  void record_texts(std::int64_t decision, std::span<const cache::DecisionText> texts) noexcept;

  /// Writes when the oldest waiting row has waited long enough.
  void flush_if_due();
  void flush() noexcept;
  /// When a session that waits must look up again: rows are due, or it is time to read the stop flag and to tell the
  /// observer.
  std::chrono::steady_clock::time_point wake_at() const;

  const std::map<Outcome, FailureReport>& failures() const { return failures_; }
  std::int64_t stored() const { return stored_; }  ///< rows
  std::int64_t added() const { return added_; }    ///< rows
  double seconds() const { return seconds_; }      ///< spent on writing

 private:
  void add_row(cache::Trial trial);
  void count_failure(const cache::Trial& trial);
  void write_waiting() noexcept;
  template <typename Write>
  bool insist(Write write) noexcept;
  template <typename Write>
  bool attempt(Write write) noexcept;

  cache::Store& store_;
  Observer& observer_;
  const SessionOptions& options_;
  std::map<Outcome, FailureReport> failures_;
  std::vector<cache::Trial> waiting_;
  std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::time_point::max();
  std::int64_t stored_ = 0, added_ = 0;
  double seconds_ = 0;
  bool store_works_ = true;
  int failed_writes_ = 0;  ///< in a row
};

}  // namespace tuner::engine

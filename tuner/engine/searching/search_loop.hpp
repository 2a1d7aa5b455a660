#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/engine/candidates/preparation.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/engine/searching/earlier_sessions.hpp"
#include "tuner/engine/searching/incumbents.hpp"
#include "tuner/engine/searching/inquiry.hpp"
#include "tuner/engine/searching/pipeline.hpp"
#include "tuner/engine/searching/roofline_rule.hpp"
#include "tuner/engine/searching/shared_parts.hpp"

namespace tuner::engine {

/// Asks the strategy for configurations, has them compiled and screened, and tells it what came out, until the space,
/// the budget or the user says stop. Used from one thread; everything handed over outlives the loop.
class SearchLoop {
 public:
  /// `common` has the fields that all trials of the session share.
  SearchLoop(const Task& task, const SessionOptions& options, const SessionParts& parts, const cache::Trial& common,
             const SharedParts& shared);

  /// Searches until the strategy or the budget is exhausted, or the stop flag is set. Throws as run_session does.
  void run();

  // What a search found.

  /// Baseline, earlier winner and what a program uses.
  const Incumbents& incumbents() const { return incumbents_; }
  /// Stopped by the user or by the budget's time before everything that was to be asked was measured.
  bool stopped_early() const { return stopped_early_; }
  /// Everything in the space was tried.
  bool through() const { return through_; }
  /// What ran in the search and then failed there, which nobody has recorded.
  const std::vector<LateFailure>& late_failures() const { return roofline_.late_failures(); }
  /// Which rule ended the search before the space was done; empty: none.
  const std::string& stopped_because() const { return stopped_because_; }
  /// The chance that the strategy gives what is untried of being one per cent faster; nothing: it has no belief.
  std::optional<double> chance_left() const { return through_ ? std::nullopt : inquiry_.chance_left(); }
  /// Entries that won elsewhere and were asked for because of that.
  std::vector<EntryId> warm_start() const { return inquiry_.promised(); }

  /// Makes sure that the entries, which are to race, have binaries: what earlier sessions timed has none. False if that
  /// showed some of their trials not to hold; those were run again, and the race is to be chosen anew. The search must
  /// be over.
  bool bring_binaries(const std::vector<EntryId>& entries);

  void observe(std::string_view phase) const;  ///< tells the observer how far the session is
  double seconds() const;                      ///< since the session started

 private:
  using Clock = std::chrono::steady_clock;

  void begin();
  void read_quarantine();
  void begin_asking();
  void read_earlier_trials();

  void run_until_finished();
  void ask();
  void feed_device();
  void run_reference();
  void record_finished();
  void tell();

  bool gives_up() const;
  bool finished() const;
  void check_progress_is_possible() const;
  bool ends_with_baseline() const;
  void fail_baseline();
  std::string barrier_text(Outcome outcome, const Candidate& kernel) const;

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const cache::Trial& common_;
  Candidates& candidates_;
  CompileSession& compile_;
  DeviceSession& device_;
  TrialJournal& journal_;
  const bool replay_;
  const Clock::time_point start_ = Clock::now();
  Preparation preparation_;
  EarlierSessions earlier_;
  Incumbents incumbents_;
  RooflineRule roofline_;
  Inquiry inquiry_;
  Pipeline pipeline_;
  bool may_reuse_ = false;  ///< earlier sessions may have left trials to take over
  bool asking_ = false;     ///< what is to be known before the strategy is asked is known
  std::string stopped_because_;
  bool stopped_early_ = false, through_ = false;
};

}  // namespace tuner::engine

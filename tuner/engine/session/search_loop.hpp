#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/strategy/strategy.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/compile_session.hpp"
#include "tuner/engine/candidates/contenders.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/preparation.hpp"
#include "tuner/engine/candidates/ready_queue.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/effort/result_cost.hpp"
#include "tuner/engine/effort/stop_rules.hpp"
#include "tuner/engine/session/earlier_sessions.hpp"
#include "tuner/engine/session/roofline_rule.hpp"

namespace tuner::engine {

/// Asks the strategy for configurations, has them compiled and screened, and tells it what came out, until the space,
/// the budget or the user says stop. Used from one thread; everything handed over outlives the loop.
class SearchLoop {
 public:
  /// `common` has the fields that all trials of the session share.
  SearchLoop(const Task& task, const SessionOptions& options, const SessionParts& parts, const cache::Trial& common,
             Candidates& candidates, CompileSession& compile, DeviceSession& device, TrialJournal& journal);

  /// Searches until the strategy or the budget is exhausted, or the stop flag is set. Throws as run_session does.
  void run();

  // What a search found. An entry that shares its binary with another one is named by that.

  std::optional<EntryId> baseline() const { return raceable(baseline_); }  ///< nothing if it does not run
  std::optional<EntryId> previous() const { return raceable(previous_); }  ///< an earlier winner, if it still runs
  std::optional<EntryId> serving() const { return raceable(serving_); }    ///< what a program uses, if it runs
  /// What the store had of this task, as it is now, before the session; nothing: nothing, or of another version.
  const std::optional<cache::Decision>& earlier_decision() const { return earlier_decision_; }
  /// Stopped by the user or by the budget's time before everything that was to be asked was measured.
  bool stopped_early() const { return stopped_early_; }
  /// Everything in the space was tried.
  bool through() const { return through_; }
  /// What ran in the search and then failed there, which nobody has recorded.
  const std::vector<LateFailure>& late_failures() const { return roofline_.late_failures(); }
  /// Which rule ended the search before the space was done; empty: none.
  const std::string& stopped_because() const { return stopped_because_; }
  /// The chance that the strategy gives what is untried of being one per cent faster; nothing: it has no belief.
  std::optional<double> chance_left() const;
  /// Entries that won elsewhere and were asked for because of that.
  std::vector<EntryId> warm_start() const;

  /// Makes sure that the entries, which are to race, have binaries: what earlier sessions timed has none. False if that
  /// showed some of their trials not to hold; those were run again, and the race is to be chosen anew. The search must
  /// be over.
  bool bring_binaries(const std::vector<EntryId>& entries);

  void observe(std::string_view phase) const;  ///< tells the observer how far the session is
  double seconds() const;                      ///< since the session started

 private:
  using Clock = std::chrono::steady_clock;

  // The start.
  void begin();
  void choose_baseline();
  void read_quarantine();
  bool begin_asking();
  void read_earlier_trials();
  void add_previous_winner();
  void add_serving();

  // The end.
  bool comparable() const;
  bool exhausted() const;
  bool gives_up() const;
  bool finished() const;
  std::string why_stopped() const;

  void run_until_finished();
  void check_progress_is_possible() const;
  void give_up_compiling();

  // The way of a configuration, in this order.
  void ask();
  std::size_t wanted() const;
  std::optional<std::uint64_t> window() const;
  bool may_tell() const;
  void start(EntryId entry);
  void submit_compile(EntryId entry, CompileRequest request);
  bool take_compiled();
  void take_compiled(EntryId entry, CompileReply reply);
  void take_binary(EntryId entry, CompileReply reply);
  void warn_of_arrays(const CompileReply& reply);
  void take_ptx(EntryId entry, CompileReply& reply);
  void feed_device();
  void run_reference();
  void take_screened(EntryId entry, const DeviceReply& reply);
  void record_finished();
  void settle_cost(EntryId entry);
  void forget_slow(EntryId entry);
  void tell();
  void decide_spending();

  bool is_baseline_compiled() const;
  std::string barrier_text(Outcome outcome, const Candidate& kernel) const;
  void fail_baseline();
  std::optional<EntryId> raceable(std::optional<EntryId> entry) const;

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const cache::Trial& common_;
  Candidates& candidates_;
  CompileSession& compile_;
  DeviceSession& device_;
  Preparation preparation_;
  TrialJournal& journal_;
  const bool replay_;
  const Clock::time_point start_ = Clock::now();
  StopRules rules_;
  ResultCost result_cost_;
  RooflineRule roofline_;
  const std::vector<search::Configuration> promising_;
  std::unique_ptr<search::Strategy> strategy_;
  EarlierSessions earlier_;
  bool may_reuse_ = false;  ///< earlier sessions may have left trials to take over

  enum class Asking { not_begun, begun, nothing_left } asking_ = Asking::not_begun;
  std::optional<EntryId> baseline_, previous_, serving_;
  std::optional<cache::Decision> earlier_decision_;
  std::vector<std::pair<EntryId, CompileReply>> early_;  ///< compiled before the baseline was
  ReadyQueue ready_;                                     ///< compiled, waiting for the device
  Contenders contenders_;                                ///< their binaries are kept
  std::optional<std::string> rule_met_;                  ///< that ends the search
  std::string stopped_because_;
  bool cost_waits_ = false;  ///< what a result costs is to be stored
  bool stopped_early_ = false, through_ = false;
  bool warned_of_barrier_ = false;              ///< over the whole grid
  std::vector<BoundArgument> unwarned_arrays_;  ///< in constant memory: none was found to be longer than described
};

}  // namespace tuner::engine

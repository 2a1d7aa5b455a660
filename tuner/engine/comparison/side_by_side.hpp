#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_failure.hpp"
#include "tuner/engine/candidates/compile_session.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/preparation.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/measure/panel.hpp"

namespace tuner::engine {

/// A configuration that is timed side by side with others.
struct Contestant {
  const Task* task = nullptr;  ///< the one that is set up, or another version of it that takes the same arguments
  search::Configuration configuration;
  std::string text;     ///< canonical
  CompileReply binary;  ///< with the compiler's facts
  Geometry geometry;
  TimedRun run;                             ///< of its verification, with occupancy
  std::optional<CandidateFailure> failure;  ///< it does not compile, or not do what the reference does

  Candidate candidate() const;
};

/// Compiles, verifies and times a few configurations next to each other, without a search and without storing
/// anything. Used from one thread; the task and what is handed over outlive it. Every function returns early when the
/// stop flag of the parts is set.
class SideBySide {
 public:
  /// `task` sets the problem up, and its reference says what is right. Throws Error{baseline_failed} where the task has
  /// no baseline.
  SideBySide(const Task& task, const SessionOptions& options, const SessionParts& parts);

  /// Compiles all, and launches each that compiles to compare it with the reference. Returns their numbers, in order;
  /// what a configuration does wrong is its `failure`. The first call sets the problem up. Throws as run_session does
  /// where nothing can be compared, and Error{bad_usage} for a task of other arguments.
  struct NewContestant {
    const Task* task;
    search::Configuration configuration;
  };
  std::vector<std::size_t> add(const std::vector<NewContestant>& all);
  const Contestant& operator[](std::size_t contestant) const { return contestants_.at(contestant); }

  /// Runs these, none of which failed, in blocks until there are enough or `until` has come, and verifies each again in
  /// the module in which it was timed. One that fails meanwhile has its `failure` afterwards; the blocks end there.
  Panel race(std::span<const std::size_t> contestants, const std::function<bool(const Panel&)>& enough,
             std::chrono::steady_clock::time_point until);

  /// Whether none of these has failed so far.
  bool all_run(std::span<const std::size_t> contestants) const;

  /// What the hardware counts in a launch of it. For an object of its own, over a worker of its own: what is timed
  /// beside a profiler is slower.
  CountResult count(std::size_t contestant);

  const std::vector<NotCompared>& not_compared() const { return device_.not_compared(); }
  bool contended() const { return device_.contended(); }
  const std::string& toolkit() const { return compile_.toolkit(); }
  bool stopped() const { return parts_.stop; }

 private:
  void prepare();
  void run_reference();
  void compile(std::size_t contestant);
  void work_until(const std::function<bool()>& done);
  void require_same_arguments(const Task& other) const;
  /// What went wrong in a race so far.
  struct RaceTrouble {
    int launches = 1;              ///< a sample
    std::set<std::size_t> struck;  ///< slots that failed once and ran well alone
    int unexplained = 0;           ///< failures that are no contestant's
  };
  bool load(std::span<const std::size_t> contestants, RaceTrouble& trouble);
  bool goes_on(std::span<const std::size_t> contestants, const DeviceReply& whole, RaceTrouble& trouble);
  void fail(std::size_t contestant, CandidateFailure failure) { contestants_[contestant].failure = std::move(failure); }

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const search::Configuration baseline_;
  TrialJournal journal_;
  CompileSession compile_;
  DeviceSession device_;
  Preparation preparation_;
  std::optional<CompileReply> baseline_binary_;  ///< where no reference kernel is named
  std::deque<Contestant> contestants_;
  std::size_t compiling_ = 0;
  bool prepared_ = false;
};

}  // namespace tuner::engine

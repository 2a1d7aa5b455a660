#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <optional>

#include "tuner/engine_protocol/engine_process.hpp"
#include "tuner/engine_protocol/jobs.hpp"

namespace tuner::service {

/// A job that a program wants done.
struct PendingTune {
  using Clock = std::chrono::steady_clock;

  TuneJob job;
  std::function<void(TuneAnswer)> done;
  Clock::time_point asked = Clock::now();
  int attempts = 0;
  Clock::time_point hangs_at = Clock::time_point::max();

  Clock::time_point time_is_up() const { return job.limit ? asked + *job.limit : Clock::time_point::max(); }
  /// One that an engine has begun is not given up for being late.
  Clock::time_point waits_until() const { return attempts == 0 ? time_is_up() : Clock::time_point::max(); }
};

/// The engine that tunes, and what waits for it: one job after the other. It is started when it is first needed, and
/// again when it was lost or hung. Used by one thread.
class TuningEngine {
 public:
  /// Takes all of them.
  void add(std::list<PendingTune>& jobs) { waiting_.splice(waiting_.end(), jobs); }
  /// Gives the engine the next job if it has none.
  void start();
  /// Passes on what it answered. If it is lost, the job that it had is next again, or has failed.
  void read();
  void end_what_hangs();
  /// Ends it, in the thread that used it, and answers nothing.
  void end() noexcept { process_.reset(); }
  /// Ends it and answers everything.
  void give_up() noexcept;

  /// When start or end_what_hangs have something to do next.
  std::chrono::steady_clock::time_point next_deadline() const;
  /// Null while there is none.
  EngineProcess* process() { return process_ ? &*process_ : nullptr; }

 private:
  void answer_those_too_late();
  void finish(TuneAnswer answer);

  std::optional<EngineProcess> process_;
  std::list<PendingTune> waiting_;
  std::optional<PendingTune> tuning_;  ///< with the engine
};

}  // namespace tuner::service

#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "tuner/engine_protocol/jobs.hpp"

namespace tuner {

/// A program's side of its engine: starts `tuner-engine` when it is first needed and gives it work. There are up to two
/// engines, one that compiles and one that tunes, so that a request never waits behind tuning. Both end when this
/// object does, or the program; not when a forked copy of the program does. Safe to use from several threads.
class EngineClient {
 public:
  EngineClient();
  ~EngineClient();
  EngineClient(const EngineClient&) = delete;
  EngineClient& operator=(const EngineClient&) = delete;

  /// Waits for the binary, up to `deadline`; the compiler may take two thirds of that, and a few seconds in any case.
  /// Never throws: an engine that cannot be started, is lost or too slow is an answer with outcome compile_timeout or
  /// worker_lost, and a sentence. One that does not answer at all is replaced.
  CompileAnswer compile(const CompileJob& job, std::chrono::steady_clock::time_point deadline);

  /// Hands the job over and returns at once; jobs are done one after the other. `done` is called exactly once, from the
  /// client's thread, unless the client is destroyed before; if there can be no such thread, before this returns. It
  /// must not throw, and answers to others wait for it. A lost engine is started again, once a job. The job's limit
  /// counts from now, with what is tuned before it; an engine that does not answer long after it is ended.
  void tune(TuneJob job, std::function<void(TuneAnswer)> done);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tuner

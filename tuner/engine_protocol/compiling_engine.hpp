#pragma once

#include <chrono>
#include <future>
#include <map>
#include <optional>

#include "tuner/engine_protocol/engine_process.hpp"
#include "tuner/engine_protocol/engine_wire.hpp"
#include "tuner/engine_protocol/jobs.hpp"

namespace tuner::service {

/// A binary that somebody waits for.
struct PendingCompile {
  CompileJob job;
  std::chrono::steady_clock::time_point deadline;  ///< after it no caller waits
  std::promise<CompileAnswer> answer;
  int attempts = 0;
  std::chrono::steady_clock::time_point hangs_at{};  ///< an engine that has not answered by then hangs
};

/// The engine that compiles, and what it was given. It is started when it is first needed, and again when it was lost
/// or hung. Used by one thread.
class CompilingEngine {
 public:
  void start(PendingCompile compile);
  /// Passes on what it answered. If it is lost, that is the answer to everything it was given.
  void read();
  void end_what_hangs();
  /// Ends it, in the thread that used it, and answers nothing.
  void end() noexcept { process_.reset(); }
  /// Ends it; who waits gets a broken promise.
  void give_up() noexcept;

  /// When end_what_hangs has something to do next.
  std::chrono::steady_clock::time_point next_deadline() const;
  /// Null while there is none.
  EngineProcess* process() { return process_ ? &*process_ : nullptr; }

 private:
  void replace(std::chrono::steady_clock::time_point now);

  std::optional<EngineProcess> process_;
  std::map<Ticket, PendingCompile> compiling_;
  Ticket last_ticket_ = 0;
};

}  // namespace tuner::service

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/binary_store.hpp"
#include "cache/store/store.hpp"
#include "search/strategy/strategy.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/session/budget.hpp"

namespace tuner::engine {

struct SessionOptions {
  std::string strategy = "auto";
  Budget budget;
  Timing mode = Timing::cold;
  std::uint64_t seed = 0;
  /// A launch still running after this is stopped and its worker replaced. Higher: slow kernels live; lower: hangs cost
  /// less.
  std::chrono::milliseconds launch_timeout{2000};
  /// Off for recordings: every candidate gets all its samples.
  bool early_kill = true;
  std::vector<std::filesystem::path> include_folders;
  /// Off: trials that the store has are not taken over, everything is measured again.
  bool reuse = true;
  /// Whether configurations that won for other problems and on other GPUs, as the store has them, are tried first. They
  /// are measured like any others.
  bool warm_start = true;
  cache::Origin origin = cache::Origin::measured;
  /// A program is at work on the same GPU all the while: samples are taken and judged so that its interruptions do not
  /// count, the decision says `contended`, and what is measured is taken over by sessions of this kind only.
  bool contended = false;
  /// Whether a decision is recorded although the budget's time ended the search. Its trials are in any case.
  bool records_unfinished = true;
  /// The configuration that a program uses now: raced with the others where the space has it. Empty: none.
  std::string serving;
};

/// Hears how a session goes. Called from the session's thread, must not throw and should return at once.
class Observer {
 public:
  virtual ~Observer() = default;
  struct Progress {
    std::uint64_t asked = 0, compiled = 0, deduplicated = 0, finished = 0, failed = 0;
    std::uint64_t total = 0;  ///< configurations that will be asked for, as far as known
    std::optional<double> best_ns;
    std::string best_configuration;
    double elapsed_s = 0;
    std::string phase;  ///< "starting", "searching", "racing", "confirming", "storing"
  };
  virtual void progress(const Progress&) {}
  virtual void trial(const cache::Trial&) {}
  virtual void warning(const std::string& /*sentence*/) {}
};

/// What a session works with. The session owns none of it; everything outlives the call.
struct SessionParts {
  CompileLane& compile;
  DeviceLane& device;
  cache::Store& store;
  cache::BinaryStore* binaries = nullptr;  ///< null: nothing is kept
  Observer& observer;
  const std::atomic<bool>& stop;  ///< set by a signal handler: finish with what was measured
};

/// Tunes one task: asks the strategy, compiles, verifies, times, races the finalists, confirms the winner, records
/// everything. Failures of candidates are rows. Throws Error when there is nothing to compare with (baseline_failed),
/// the device is lost, or the toolkit is missing; what was measured before is in the store by then. A store that fails
/// is a warning: the session goes on and the report says so.
TuneReport run_session(const Task& task, const SessionOptions& options, const SessionParts& parts);

}  // namespace tuner::engine

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/report/report.hpp"
#include "tuner/core/task/problem_list.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/recording/recording_file.hpp"
#include "tuner/engine/session/session_observer.hpp"
#include "tuner/engine/session/session_options.hpp"
#include "tuner/engine/sizes/together.hpp"
#include "tuner/engine/turns/turn.hpp"

namespace tuner::cli {

/// What to do while another process has the GPU or tunes the same.
enum class IfBusy { wait, leave };

/// What `tuner tune` was asked to do.
struct TuneRequest {
  std::filesystem::path file;  ///< empty: only with a replay
  std::string kernel;
  std::vector<GivenProblem> problems;  ///< tuned together; empty: one session with the defaults
  std::vector<std::string> where;
  std::vector<std::string> pads;  ///< "NAME=BYTES", as given
  engine::SessionOptions session;
  std::optional<Timing> mode;  ///< as given
  int device = 0;
  std::size_t workers = 0;                                   ///< 0: as many as the cores allow
  std::optional<std::chrono::milliseconds> compile_timeout;  ///< empty: the compile pool's own
  IfBusy if_busy = IfBusy::wait;
  std::chrono::milliseconds longest_wait = engine::kLongestWait;  ///< for each of the two; then it goes on beside
  std::filesystem::path replay;
  std::filesystem::path record;
  engine::Replace replace = engine::Replace::nothing;  ///< what `record` may take the place of
  std::filesystem::path database;                      ///< as given with --db; empty: the default place
};

/// What a run of sessions talks to.
struct TuneContext {
  engine::Observer& observer;
  const std::atomic<bool>& stop;
  std::function<void(TuneReport)> deliver;  ///< takes each report as soon as it is there
  /// Takes what several problems have in common, in the end.
  std::function<void(const engine::PortfolioOfSizes&)> deliver_portfolio = {};
};

/// Compiles and launches on the GPU at hand. Throws Error.
void tune_live(const TuneRequest& request, const TuneContext& context);
/// Replays a recording: nothing is compiled or launched. Throws Error.
void tune_replay(const TuneRequest& request, const TuneContext& context);

}  // namespace tuner::cli

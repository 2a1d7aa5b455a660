#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/report/report.hpp"
#include "tuner/core/sizes/sizes.hpp"
#include "tuner/core/task/problem_list.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_observer.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/compile/nvcc_lane.hpp"
#include "tuner/engine/recording/recording_file.hpp"
#include "tuner/engine/turns/turn.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

/// What to do while another process has the GPU or tunes the same.
enum class IfBusy { wait, leave };

/// What `tuner tune` was asked to do.
struct TuneRequest {
  std::filesystem::path file;  ///< empty: only with a replay or a description
  /// Of a source that is no file: it takes the place of one.
  std::optional<KernelDescription> description;
  std::string kernel;
  std::vector<GivenProblem> problems;  ///< tuned together; empty: one session with the defaults
  std::vector<std::string> where;
  std::vector<std::string> only;  ///< parameters that vary, while others keep their defaults; empty: all
  std::vector<std::string> pads;  ///< "NAME=BYTES", as given
  engine::SessionOptions session;
  std::optional<Timing> mode;   ///< as given
  std::vector<int> devices{0};  ///< the numbers of GPUs of one kind, each of which tunes one problem at a time
  std::size_t workers = 0;      ///< 0: as many as the cores allow
  std::optional<std::chrono::milliseconds> compile_timeout;  ///< empty: the compile pool's own
  std::uint64_t compile_memory = 0;                          ///< bytes a compile process; 0: likewise
  std::optional<engine::RecordedSource> recorded;            ///< how the program's build compiles the file
  /// Of a kernel of others: the folder with its data, which is all that compilers may read beside the toolkit, where
  /// the kernel of this machine can see to that. Empty: what this user may read.
  std::filesystem::path confined_to;
  IfBusy if_busy = IfBusy::wait;
  std::chrono::milliseconds longest_wait = engine::kLongestWait;  ///< for each of the two; then it goes on beside
  /// No problem but the first begins after this. Nothing: all do.
  std::optional<std::chrono::steady_clock::time_point> begin_before;
  std::filesystem::path replay;
  std::filesystem::path record;
  std::filesystem::path hints;                         ///< where `session.hints` come from; empty: there are none
  engine::Replace replace = engine::Replace::nothing;  ///< what `record` may take the place of
  std::filesystem::path database;                      ///< as given with --db; empty: the default place
};

/// What a run of sessions talks to.
struct TuneContext {
  engine::Observer& observer;
  const std::atomic<bool>& stop;
  std::function<void(TuneReport)> deliver;  ///< takes each report as soon as it is there
  /// Takes what is known of the kernel over all its problems, in the end, if there were several.
  std::function<void(const KernelSizes&)> deliver_sizes = {};
  /// Takes why a problem cannot be tuned; if it is not given, the first such error is thrown in the end.
  std::function<void(const ProblemValues& problem, const Error& error)> failed = {};
};

/// Compiles and launches on the GPU at hand. Throws Error.
void tune_live(const TuneRequest& request, const TuneContext& context);
/// Works off the list of what programs missed beside the request's database, for the GPU at hand, the most valuable
/// kernel first: those of `request.kernel` and `request.mode`, if they are given. An entry leaves the list when its
/// decision is stored. What cannot be tuned is told, in a sentence each, and noted there. False if there was any.
/// Throws Error.
bool tune_wanted(const TuneRequest& request, const TuneContext& context,
                 const std::function<void(const std::string&)>& tell);
/// Replays a recording: nothing is compiled or launched. Throws Error.
void tune_replay(const TuneRequest& request, const TuneContext& context);

}  // namespace tuner::cli

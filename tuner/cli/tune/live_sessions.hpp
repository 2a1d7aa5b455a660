#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/store.hpp"
#include "tuner/cli/tune/seat_observers.hpp"
#include "tuner/cli/tune/tune_request.hpp"
#include "tuner/core/task/roofline.hpp"
#include "tuner/engine/recording/recorder.hpp"
#include "tuner/engine/sizes/together.hpp"
#include "tuner/engine/workplace/seats.hpp"

namespace tuner::cli {

/// The sessions of a command that tunes problems of one kernel on GPUs of one kind. Each GPU is a seat, see
/// engine::Seats. A single problem has one seat with all GPUs, unless it is recorded.
class LiveSessions {
 public:
  using Clock = std::chrono::steady_clock;
  using Kernel = std::shared_ptr<const KernelDescription>;

  /// Everything handed over outlives this. Uses the first of the request's devices, no more than there are problems.
  LiveSessions(const TuneRequest& request, const TuneContext& context, Kernel kernel,
               const std::vector<GivenProblem>& problems);
  ~LiveSessions();
  LiveSessions(const LiveSessions&) = delete;
  LiveSessions& operator=(const LiveSessions&) = delete;

  /// Waits for the first seat's GPUs, checks all problems and opens the database. False if it was told to stop.
  bool start();

  std::size_t seats() const { return workers_.size(); }
  std::size_t gpus() const { return workers_.gpus(); }  ///< that are used
  /// What a launch of the baseline does for each problem; empty if the kernel does not say, there are too many, or one
  /// seat does them all.
  std::vector<double> work() const;
  /// Of any thread while sessions run.
  cache::Store& store() { return workers_.store(); }
  bool has_run();

  /// Of several seats each begins in its thread, before its first session, see Seats::arrive.
  void begin(std::size_t seat) { workers_.arrive(seat); }
  /// Ends the sessions that have begun, because a seat cannot.
  void refuse() { workers_.refuse(); }
  /// One session; nothing if it was interrupted while it waited for its GPU or its turn.
  std::optional<TuneReport> run(std::size_t problem, engine::SessionOptions options, std::size_t seat);
  /// Hands on what a session on the seat reported, with what was said meanwhile.
  void deliver(TuneReport report, std::size_t seat);
  /// Ends the seat's worker, in the seat's thread, because its GPU was lost.
  void leave(std::size_t seat, const Error& error);
  /// While it is held, no session says anything.
  std::unique_lock<std::mutex> silence() { return observers_ ? observers_->lock() : std::unique_lock<std::mutex>(); }
  /// Says something before the first session.
  void warn(const std::string& sentence) { observer(0).warning(sentence); }

  /// Every trial of the only problem; the request says that it is to be recorded.
  void write(engine::RecordingFile& recording, const TuneReport& report) { recorder_->write(recording, report); }

  /// What is known over all problems is kept for programs, and told. Ends the workers meanwhile.
  void learn_sizes(const engine::Together& together);

  /// Ends the workers. Takes how long that took.
  void end(TuneReport& report);

 private:
  bool choose_compiler();
  engine::Observer& observer(std::size_t seat);

  const TuneRequest& request_;
  const TuneContext& context_;
  const Kernel kernel_;
  const std::vector<GivenProblem>& problems_;
  std::optional<SeatObservers> observers_;  ///< where several GPUs were asked for
  engine::Seats workers_;
  std::vector<std::optional<Roofline>> rooflines_;  ///< of each seat's GPU
  std::vector<Task> tasks_;                         ///< on the first seat's GPU
  std::optional<engine::Recorder> recorder_;        ///< it keeps every trial in memory
  std::mutex mutex_;                                ///< of what follows
  cache::DecisionKey last_key_;
  /// From when on the first session's time is accounted for: what came before it belongs to it.
  std::optional<Clock::time_point> started_;
};

}  // namespace tuner::cli

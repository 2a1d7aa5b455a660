#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "tuner/core/report/report.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_observer.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/measure/noise.hpp"

namespace tuner::engine {

/// The device as a session uses it: prepared for the task's problem, then told the reference, then given candidates to
/// screen, one request after the other while the search goes on; afterwards a request is made and waited for, and the
/// device may be lent to the task's problem at other sizes. Answers to requests of earlier sessions are ignored.
class DeviceSession {
 public:
  enum class State {
    unprepared,  ///< the problem is not set up yet
    prepared,    ///< buffers are filled; nothing says yet what is right
    reference,   ///< the reference is being run
    screening,   ///< candidates can be compared with the reference
    racing,      ///< the same, and finalists are resident
    elsewhere,   ///< set up for the problem of another task
  };
  using Clock = std::chrono::steady_clock;
  using Take = std::function<void(const DeviceReply&)>;

  /// Everything handed over outlives the session.
  DeviceSession(const Task& task, const SessionOptions& options, DeviceLane& lane, Observer& observer,
                TrialJournal& journal)
      : task_(task), options_(options), lane_(lane), observer_(observer), journal_(journal) {}

  State state() const { return state_; }

  // Requests that are made and not waited for: `poll` hands on their answers.

  /// unprepared → prepared. `poll` throws Error{bad_problem} or Error{device_lost} if that fails. PrepareProblem says
  /// what the binaries are for.
  void prepare(std::vector<std::vector<std::byte>> support_cubins, std::vector<std::byte> value_cubin = {});
  /// prepared → reference → screening, whatever comes out.
  void run_reference(Candidate candidate, Take take);
  /// Nothing can be compared, as in a replay that does not name a baseline: prepared → screening.
  void skip_reference();
  /// Whether candidates can be compared with the reference, and whether the lane has room for one more now.
  bool can_screen() const { return state_ == State::screening || state_ == State::racing; }
  bool wants_candidate() const { return can_screen() && lane_.room() > 0; }
  void screen(Candidate candidate, std::optional<double> time_to_beat, Take take);
  /// Hands on what has been answered. False if the lane had nothing to say.
  bool poll();
  /// Whether requests are without an answer, and when the last answer came.
  bool busy() const { return !waiting_.empty(); }
  Clock::time_point last_answer() const { return last_answer_; }

  // Requests that are waited for. Nothing else may be under way.

  DeviceReply call(DeviceRequest request);
  /// Sets the device up for the problem of another task: → elsewhere, also if it fails.
  DeviceReply prepare_for(const Task& other);
  /// elsewhere → screening: the problem and its reference are set up again; finalists are not. Nothing in other states.
  /// Throws Error{device_lost} if it cannot.
  void return_to_task();

  /// Whether it is known what is right, or that nothing will say so.
  bool reference_done() const { return !has_reference_ || state_ > State::reference; }
  /// What was run as the reference; nothing in a replay, where nothing can be run again.
  std::optional<Candidate> reference() const;
  /// What the reference leaves unwritten of each output.
  const std::vector<NotCompared>& not_compared() const { return not_compared_; }
  /// The outputs of the reference that a kernel passes which computes nothing.
  const std::vector<Unproven>& unproven() const { return unproven_; }
  const LikeRoundingSummary& like_rounding() const { return like_rounding_; }
  const Noise& noise() const { return noise_; }  ///< of the samples screened so far
  /// The device rests because nothing is compiled.
  void add_waiting(Clock::duration time);
  /// Until the device was ready, and what it did from then on.
  const TimeSpent& time() const { return time_; }
  int launches() const { return launches_; }        ///< of kernels, whatever for
  bool contended() const { return is_contended_; }  ///< other processes had the GPU open when a problem was set up

 private:
  PrepareProblem problem_of(const Task& task) const;
  ScreenPolicy reference_policy() const;
  void submit(DeviceRequest request, Take take);
  void account(const DeviceReply& reply);
  void begin_work();
  void end_work();
  void account_samples(const DeviceReply& reply);
  void take_prepared(const DeviceReply& reply);
  void warn_of_surroundings(const PrepareResult& prepared);

  const Task& task_;
  const SessionOptions& options_;
  DeviceLane& lane_;
  Observer& observer_;
  TrialJournal& journal_;
  State state_ = State::unprepared;
  bool has_reference_ = true;
  std::vector<std::vector<std::byte>> support_cubins_;
  std::vector<std::byte> value_cubin_;
  std::optional<Candidate> reference_;
  std::vector<NotCompared> not_compared_;
  std::vector<Unproven> unproven_;
  LikeRoundingSummary like_rounding_;
  std::map<TicketId, Take> waiting_;
  Clock::time_point busy_since_ = Clock::now(), last_answer_ = busy_since_;
  Noise noise_;
  TimeSpent time_;
  int launches_ = 0;
  bool is_contended_ = false, warned_of_fences_ = false;
};

}  // namespace tuner::engine

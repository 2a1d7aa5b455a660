#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/engine/measure/finalists.hpp"
#include "tuner/engine/measure/noise.hpp"
#include "tuner/engine/session/candidates.hpp"
#include "tuner/engine/session/earlier_sessions.hpp"
#include "tuner/engine/session/ready_queue.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/engine/session/signature_probe.hpp"
#include "tuner/engine/session/stop_rules.hpp"
#include "tuner/engine/session/trial_log.hpp"

namespace tuner::engine {

/// Carries configurations from the strategy through the compile lane and the device lane into rows: the search phase of
/// a session, and the device afterwards. Used by Session alone; everything handed over outlives it.
class Pipeline {
 public:
  /// `common` holds the fields that all trials of the session share.
  Pipeline(const Task& task, const SessionOptions& options, const SessionParts& parts, const cache::Trial& common,
           TrialLog& log);

  /// Searches until the strategy or the budget is exhausted, or the stop flag is set. Throws as run_session does.
  void search();

  const Candidates& candidates() const { return candidates_; }
  std::optional<std::size_t> baseline() const { return raceable(baseline_); }  ///< nothing if it does not run
  std::optional<std::size_t> previous() const { return raceable(previous_); }  ///< an earlier winner, if it still runs
  std::optional<std::size_t> serving() const { return raceable(serving_); }    ///< what a program uses, if it runs
  /// What computes the reference; nothing in a replay.
  std::optional<Candidate> reference() const;
  const std::map<Outcome, FailureReport>& failures() const { return failures_; }
  /// What the reference leaves unwritten of each output.
  const std::vector<NotCompared>& not_compared() const { return not_compared_; }
  /// Stopped by the user or by the budget's time before everything that was to be asked was measured.
  bool stopped_early() const { return stopped_early_; }
  /// Which rule ended the search before the space was done; empty: none.
  const std::string& stopped_because() const { return stopped_because_; }
  /// What won elsewhere and was asked for because of that, by position.
  std::vector<std::size_t> warm_start() const;
  const std::string& toolkit() const { return toolkit_; }
  const Noise& noise() const { return noise_; }    ///< of the samples taken so far
  const TimeSpent& time() const { return time_; }  ///< of the search phase, device and waiting only

  /// Other processes computed on the GPU when a problem was set up.
  bool contended() const { return contended_; }

  // The search must be over for what follows.

  /// Makes sure that the entries, which are to race, have binaries: what earlier sessions timed has none. False if that
  /// showed some of their trials not to hold; those were run again, and the race is to be chosen anew.
  bool bring_binaries(const std::vector<std::size_t>& entries);
  /// Compiles all and waits; incomplete when the stop flag is set.
  std::vector<CompileReply> compile(std::vector<CompileRequest> requests);
  /// Sends a request to the device and waits for its answer.
  DeviceReply call(DeviceRequest request);
  /// Sets the device up for the problem of another task: the session's has to be set up again before anything else.
  DeviceReply prepare_for(const Task& other);
  /// Undoes that, reference included; finalists have to be loaded again. Throws Error{device_lost} if it cannot.
  void return_to_task();
  /// A candidate that was timed and failed later: the first row stays true, and a second one says what happened.
  void record_late_failure(std::size_t entry, const DeviceReply& reply);
  void observe(std::string_view phase) const;
  double seconds() const;  ///< since the session started

 private:
  using Clock = std::chrono::steady_clock;

  /// How often a waiting session looks at the stop flag and tells the observer.
  static constexpr std::chrono::milliseconds kHeartbeat{100};

  /// Unique in the process, because lanes outlive sessions and never see a ticket twice.
  static TicketId new_ticket();

  void begin();
  void choose_baseline();
  void submit_probe(SignatureProbe probe);
  void start_reference();
  void add_previous_winner();
  void add_serving();
  std::size_t add(const search::Configuration& configuration);
  void submit_compile(std::size_t entry, CompileRequest request);
  PrepareProblem problem_of(const Task& task) const;
  void prepare();
  void note_neighbours(const DeviceReply& reply);
  void remember_earlier_sessions();
  bool ready_to_ask();

  bool comparable() const;
  bool out_of_time() const { return rules_.out_of_time(seconds()) && comparable(); }
  bool gives_up() const { return parts_.stop || (rule_met_ && comparable()) || out_of_time(); }
  bool exhausted() const;
  bool finished() const;
  void run_until_finished();
  void ask();
  void start(std::size_t entry);
  void give_up_compiling();
  bool take_compiled();
  void take_compiled(TicketId ticket, CompileReply reply);
  void take_binary(std::size_t entry, CompileReply reply);
  void feed_device();
  void submit_reference(Candidate candidate);
  ScreenPolicy reference_policy() const;
  void submit_screen(std::size_t entry);
  std::optional<double> time_to_beat() const;
  void submit_to_device(TicketId ticket, DeviceRequest request);
  bool take_run();
  void take_run(TicketId ticket, const DeviceReply& reply);
  void take_reference(const DeviceReply& reply);
  void take_screened(std::size_t entry, const DeviceReply& reply);
  void quarantine_if_confirmed(std::size_t entry, const DeviceReply& reply);
  void note_samples(const DeviceReply& reply);
  void fail_baseline(const cache::Trial& trial);
  void record_finished();
  void note_failure(const cache::Trial& trial);
  void forget_slow(std::size_t entry);
  void tell();
  std::string why_stopped() const;
  void wait();
  void check_progress_is_possible() const;
  std::optional<std::size_t> raceable(std::optional<std::size_t> entry) const;

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const cache::Trial& common_;
  TrialLog& log_;
  const bool replay_;
  const Clock::time_point start_ = Clock::now();
  StopRules rules_;
  std::optional<std::string> rule_met_;
  std::string stopped_because_;
  const std::vector<search::Configuration> promising_;
  std::unique_ptr<search::Strategy> strategy_;
  Candidates candidates_;
  EarlierSessions earlier_;

  std::optional<std::size_t> baseline_, previous_, serving_;
  std::vector<std::byte> support_cubin_;
  std::optional<CompileReply> reference_kernel_;  ///< compiled, where the description names one

  std::optional<TicketId> support_ticket_, reference_kernel_ticket_;  ///< being compiled
  std::map<TicketId, SignatureProbe> probes_;
  std::map<TicketId, std::size_t> compiling_;
  std::set<TicketId> given_up_;                              ///< cancelled; their answers are of no interest
  std::vector<std::pair<std::size_t, CompileReply>> early_;  ///< compiled before the baseline was
  ReadyQueue ready_;                                         ///< compiled, waiting for the device

  std::optional<TicketId> prepare_ticket_, reference_ticket_;  ///< on the device
  std::map<TicketId, std::size_t> running_;
  std::size_t on_device_ = 0;  ///< requests the device has not answered
  bool prepared_ = false, baseline_compiled_ = false, reference_done_ = false, nothing_to_ask_ = false,
       stopped_early_ = false, contended_ = false, warned_of_fences_ = false, elsewhere_ = false;
  bool reuses_ = false;  ///< there may be trials to take over, which is known when the baseline has been compiled
  bool asks_ = false;    ///< ... and has been looked into

  std::set<std::pair<double, std::size_t>> contenders_;  ///< the fastest so far, by time: their binaries are kept
  std::map<Outcome, FailureReport> failures_;
  std::vector<NotCompared> not_compared_;
  Noise noise_;
  std::string toolkit_;
  Clock::time_point idle_since_ = start_, last_answer_ = start_;  ///< of the device
  TimeSpent time_;
};

}  // namespace tuner::engine

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/engine/device/lane/lane_requests.hpp"
#include "tuner/engine/device/lane/lane_statistics.hpp"
#include "tuner/engine/device/lane/lane_workers.hpp"
#include "tuner/engine/device/lane/overread_search.hpp"

namespace tuner::engine {

struct DeviceLaneOptions {
  int ordinal = 0;   ///< which GPU, as the user counts them
  std::string uuid;  ///< or which by name ("GPU-…"); the ordinal is then only reported
  /// How many workers stand by once one was lost, with a context and nothing else, so that the next loss costs no
  /// start. More: more losses in quick succession are cheap, and more of the GPU's memory is held (some 500 MB each). A
  /// session that loses none has none.
  int spares = 2;
  /// How long a request may take beyond what its launches may, before anything is known about the problem; afterwards
  /// at most that. Raise where buffers are huge and checking them takes long; lower to notice earlier that the driver
  /// itself hangs. A launch that does not end is noticed by the worker, in time.
  std::chrono::milliseconds slack{30000};
  std::chrono::milliseconds start_limit{60000};  ///< until hello: with many GPUs without persistence it takes seconds
  std::filesystem::path program;                 ///< empty: find_worker_program()
  std::vector<std::string> environment;          ///< further variables of the worker
  bool fixed_addresses = false;                  ///< its addresses are not randomised, if the system allows that
  std::uint64_t address_padding = 0;             ///< bytes of them that it leaves alone before its context is made
  const std::atomic<bool>* stop = nullptr;       ///< when it becomes true, `info` no longer waits
};

/// The process that holds one GPU. Sends one request at a time, so that whatever a candidate does is known to be its
/// doing; kills the worker when a request takes too long; replaces one that is lost, with a spare where there is one,
/// and prepares the new one (problem, reference, finalists) before the next request. The first worker starts with the
/// object.
///
/// A request over which a worker is lost is given once to another, which has run nothing but the reference: what an
/// earlier candidate did to the old one is not held against it. If it fails there too, or the old one had run nothing
/// else either, its failure is confirmed. The reference always gets its second run, and so does what was lost with a
/// worker that ended without a word or over an error that may be the GPU's: the cause may be outside. Blocks get
/// one for that reason alone: the race knows how to ask who it was.
///
/// A candidate, or the reference, that meets a fence is launched further, by as many workers as that takes, to find out
/// which buffer that was and how far it reads; only the first of a problem are, since each may cost ten workers.
///
/// Creating a context disturbs what is timed on the same GPU: no spare is started from the loading of finalists that
/// race to the next problem.
class DeviceProcessLane final : public DeviceLane {
 public:
  /// Throws Error{no_worker}, Error{bad_usage}.
  explicit DeviceProcessLane(DeviceLaneOptions options = {});
  /// Kills all workers at once, whatever they do.
  ~DeviceProcessLane() override;

  /// Also throws Error{device_lost} when told to stop.
  const DeviceInfo& info() override;
  std::vector<std::string> support_sources() const override;

  void submit(TicketId ticket, DeviceRequest request) override;
  /// Throws Error{no_driver}, and Error{device_lost} when three workers in a row could not be started or prepared.
  std::vector<Completion> poll() override;
  /// A request that waits is answered `worker_lost`; one that runs is left to end.
  void cancel(TicketId ticket) override;
  std::size_t room() const override;
  std::vector<int> wait_fds() const override;
  std::chrono::steady_clock::time_point next_deadline() const override;

  DeviceLaneStatistics statistics() const;
  /// Of the worker that lives now; -1 if there is none. For tests and reports.
  pid_t worker_pid() const;
  /// Of all that may still be alive. For tests and reports.
  std::vector<pid_t> worker_pids() const { return workers_.pids(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    TicketId ticket = 0;
    DeviceRequest request;
    std::optional<DeviceReply> first_failure;  ///< a worker was lost over it, like that
    bool had_all_memory = false;               ///< it was repeated after all other processes were gone
  };
  /// What the worker is busy with: a pending request, or one that is repeated for a new worker.
  struct Running {
    Pending pending;
    bool repeated = false;
    bool fresh = false;  ///< the worker had run nothing but the reference
    std::chrono::milliseconds limit{};
    Clock::time_point deadline;
  };
  struct Loss {
    LossCause cause = LossCause::ended;
    DeviceReply reply;  ///< what there is to say; without a message its last words will do
  };

  void step();
  void receive();
  void handle(const Message& message);
  void handle_reply(WorkerReply answer);
  void finish(DeviceReply reply);
  bool lacks_memory(const DeviceReply& reply) const;
  void give_again_with_all_memory();
  void send_next();
  void give(Pending pending, bool repeated);
  void forget_what_it_replaces(const DeviceRequest& request);
  void remember(const DeviceRequest& request, const DeviceReply& reply);

  void lose(Loss loss);
  bool has_second_run(const Running& running, const Loss& loss) const;
  static DeviceReply settled(Pending& pending, DeviceReply reply);
  bool begin_search(Pending& pending, const DeviceReply& reply);
  void ask_probes();
  void take_probes(const DeviceReply& reply);
  void restore_all();
  bool start_another();
  void note_recovered();
  void keep_spares();
  bool fits(const PrepareProblem& problem, int prepared, int contexts) const;
  bool fits_twice(const PrepareProblem& problem) const;
  void give_up(const std::string& reason);
  void give_up_if_hopeless();

  void answer(TicketId ticket, DeviceReply reply);

  DeviceLaneOptions options_;
  DeviceWorkers workers_;
  bool fresh_ = true;  ///< the worker has run nothing but the reference
  std::optional<DeviceInfo> info_;

  std::deque<Pending> waiting_;
  std::deque<DeviceRequest> repeat_;  ///< for the worker that lives now, before anything that waits
  std::optional<Running> running_;
  std::vector<Completion> answered_;

  // What a new worker must be told first.
  std::optional<PrepareProblem> problem_;
  std::optional<RunReference> reference_;
  std::optional<LoadFinalists> finalists_;
  std::string no_finalists_ = "none were loaded.";  ///< why there are none
  RequestLimits limits_;

  /// A request over which a fence was met. It waits for its answer while probes run in its place.
  struct Search {
    TicketId ticket;
    DeviceReply reply;
    Candidate candidate;
    OverreadSearch edges;
  };
  std::optional<Search> search_;
  int searches_left_ = 0;  ///< for this problem
  bool is_bare_ = false;   ///< the worker has the problem and nothing else, which probes do not need

  bool racing_ = false;                              ///< finalists were loaded, and no other problem since
  bool spares_in_the_way_ = false;                   ///< the problem needs their memory
  int spares_failed_ = 0;                            ///< in a row
  int failures_ = 0;                                 ///< workers in a row that could not be started or prepared
  std::optional<Clock::time_point> start_again_at_;  ///< there is no worker: the last could not even be started
  std::optional<Error> hopeless_;

  DeviceLaneStatistics statistics_;
  std::optional<Clock::time_point> lost_at_;  ///< no other worker could take a request since
  std::size_t unrecovered_ = 0;               ///< the first of the losses that this is true for
};

}  // namespace tuner::engine

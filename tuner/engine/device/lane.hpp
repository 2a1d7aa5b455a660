#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/device/device.hpp"
#include "tuner/engine/device/wire.hpp"
#include "tuner/engine/process/spawn.hpp"

namespace tuner::engine {

struct DeviceLaneOptions {
  int ordinal = 0;   ///< which GPU, as the user counts them
  std::string uuid;  ///< or which by name ("GPU-…"); the ordinal is then only reported
  /// How long a request may take beyond what its launches may. Raise where buffers are huge and checking them takes
  /// long; lower to notice earlier that the driver itself hangs. A launch that does not end is noticed by the worker,
  /// in time.
  std::chrono::milliseconds slack{30000};
  std::chrono::milliseconds start_limit{60000};  ///< until hello: with many GPUs without persistence it takes seconds
  std::chrono::milliseconds prepare_limit{180000};  ///< for allocating and filling the problem's buffers
  std::filesystem::path program;                    ///< empty: find_worker_program()
  std::vector<std::string> environment;             ///< further variables of the worker
};

/// The process that holds one GPU. Sends one request at a time, so that whatever a candidate does is known to be its
/// doing; kills the worker when a request takes too long; replaces a worker that died and prepares the new one
/// (problem, reference, finalists) before the next request. A candidate's fault answers that candidate's request and no
/// other. A worker that a signal ended without an answer may have been killed by anybody: its request is given to the
/// next worker once, and the second death is the candidate's. Not so a block, whose other samples are lost with it: the
/// race asks again. The first worker starts with the object.
class DeviceProcessLane final : public DeviceLane {
 public:
  /// Throws Error{no_worker}, Error{bad_usage}.
  explicit DeviceProcessLane(DeviceLaneOptions options = {});
  ~DeviceProcessLane() override;

  const DeviceInfo& info() override;
  std::string_view support_source() const override;

  void submit(TicketId ticket, DeviceRequest request) override;
  /// Throws Error{no_driver}, and Error{device_lost} when three workers in a row could not be started or prepared.
  std::vector<Completion> poll() override;
  /// A request that waits is answered `worker_lost`; one that runs is left to end.
  void cancel(TicketId ticket) override;
  std::size_t room() const override;
  std::vector<int> wait_fds() const override;
  std::chrono::steady_clock::time_point next_deadline() const override;

  /// Of the worker that lives now; -1 if there is none. For tests and reports.
  pid_t worker_pid() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    TicketId ticket = 0;
    DeviceRequest request;
    bool tried_before = false;  ///< a worker was lost over it, and nobody knows why
  };
  /// What the worker is busy with: a pending request, or one that is repeated for a new worker.
  struct Running {
    Pending pending;
    bool repeated = false;
    Clock::time_point deadline;
  };

  void start();
  void step();
  void receive();
  void handle(const Message& message);
  void handle_reply(WorkerReply answer);
  void send_next();
  void give(Pending pending, bool repeated);
  void remember(const DeviceRequest& request);
  void note_failure(const DeviceRequest& request, const DeviceReply& reply);
  /// `by_signal`: the worker was ended by one before it answered.
  void replace(DeviceReply reply, bool by_signal = false);
  void note_channel();
  void give_up_if_hopeless();
  void answer(TicketId ticket, DeviceReply reply);
  std::chrono::milliseconds limit_of(const DeviceRequest& request) const;

  DeviceLaneOptions options_;
  std::optional<ChildProcess> worker_;
  int channel_fd_ = -1;  ///< of its channel; -1 when that is closed
  bool ready_ = false;   ///< hello has been received
  Clock::time_point start_deadline_{};
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
  std::chrono::milliseconds launch_timeout_{2000};
  CacheMode mode_ = CacheMode::cold;

  int failures_ = 0;  ///< workers in a row that could not be started or prepared
  std::optional<Error> hopeless_;
};

}  // namespace tuner::engine

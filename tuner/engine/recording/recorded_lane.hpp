#pragma once

#include <map>
#include <string>

#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/lanes/immediate_lane.hpp"
#include "tuner/engine/recording/recording.hpp"

namespace tuner::engine {

/// Rows of a recording by canonical text. Both recorded lanes look things up here.
class RecordedRows {
 public:
  /// `task` must be recorded_task(recording); both must outlive this.
  RecordedRows(const Recording& recording, const Task& task);
  /// Throws Error{bad_recording} for a configuration that was not recorded.
  const RecordedTrial& find(const std::string& configuration) const;

 private:
  const Recording& recording_;
  std::map<std::string, const RecordedTrial*, std::less<>> rows_;
};

/// How many requests a recorded lane takes before it wants to be polled: enough to look like a pool, few enough that a
/// strategy hears of results before it asks again.
inline constexpr std::size_t kRecordedRoom = 8;
/// How many compilers a replay counts with, where it matters what a result costs: those of a machine of 16 cores.
inline constexpr double kRecordedCompilers = 15;

/// Answers compile requests with what the recording says: status, resource facts, binary hash. Nothing is compiled.
class RecordedCompileLane final : public ImmediateLane<CompileLane> {
 public:
  explicit RecordedCompileLane(const Recording& recording, const RecordedRows& rows)
      : ImmediateLane(kRecordedRoom), recording_(recording), rows_(rows) {}

  void submit(TicketId ticket, CompileRequest request) override;
  double width() const override { return kRecordedCompilers; }

 private:
  const Recording& recording_;
  const RecordedRows& rows_;
};

/// Answers device requests with the recorded samples: screening takes them in order under the request's policy, the
/// n-th block of a race takes everybody's n-th race sample (from the start again after the last), so that what was
/// measured side by side stays side by side. Nothing is launched.
class RecordedDeviceLane final : public ImmediateLane<DeviceLane> {
 public:
  explicit RecordedDeviceLane(const Recording& recording, const RecordedRows& rows)
      : ImmediateLane(kRecordedRoom), recording_(recording), rows_(rows) {}

  const DeviceInfo& info() override { return recording_.device; }
  void submit(TicketId ticket, DeviceRequest request) override;

 private:
  DeviceReply answer(const PrepareProblem&) { return {}; }
  DeviceReply answer(const RunReference& request);
  DeviceReply answer(const ScreenCandidate& request);
  DeviceReply answer(const LoadFinalists& request);
  DeviceReply answer(const RunBlock& request);
  DeviceReply answer(const RecheckFinalist&) { return {}; }
  DeviceReply answer(const ConfirmCandidate&) { return {}; }
  DeviceReply answer(const ProbeFences&) { return {}; }
  DeviceReply answer(const ReplayLaunch&) {
    return {.outcome = Outcome::launch_refused, .message = "A recording has no launches to replay."};
  }
  DeviceReply answer(const CountCandidate&) {
    return {.result = CountResult{.refused = "Recordings have no counters."}};
  }
  DeviceReply screen(const std::string& configuration, const ScreenPolicy& policy, std::optional<double> best_ns) const;

  const Recording& recording_;
  const RecordedRows& rows_;
  std::vector<const RecordedTrial*> finalists_;
  std::size_t blocks_ = 0;
};

}  // namespace tuner::engine

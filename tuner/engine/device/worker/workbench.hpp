#pragma once

#include <memory>
#include <optional>

#include "tuner/driver/nvml.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/kernel.hpp"

namespace tuner::engine {

class LaunchReplay;

/// What a device worker does with its requests. Needs a current context. Everything that can be known about a candidate
/// is in the reply; throws Error{internal} only for a request that makes no sense (screening before preparing).
class Workbench {
 public:
  explicit Workbench(DeviceInfo device);
  ~Workbench();

  WorkerReply handle(const DeviceRequest& request);

 private:
  struct Problem;

  // Each fills its result, and what all replies have, as far as it gets before an exception.
  void run(const PrepareProblem& request, DeviceReply& reply, PrepareResult& result);
  void run(const RunReference& request, DeviceReply& reply, ReferenceResult& result);
  void run(const ScreenCandidate& request, DeviceReply& reply, ScreenResult& result);
  void run(const LoadFinalists& request, DeviceReply& reply, LoadResult& result);
  void run(const RunBlock& request, DeviceReply& reply, BlockResult& result);
  void run(const RecheckFinalist& request, DeviceReply& reply, RecheckResult& result);
  void run(const ConfirmCandidate& request, DeviceReply& reply, ConfirmResult& result);
  void run(const ProbeFences& request, DeviceReply& reply, ProbeResult& result);
  void run(const CountCandidate& request, DeviceReply& reply, CountResult& result);
  void run(const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result);

  bool end_with(const CallFailed& failure, DeviceReply& reply) const;
  bool come_back(DeviceReply& reply);
  void time_and_inspect(LoadedKernel& kernel, const ScreenPolicy& policy, std::optional<double> best_ns,
                        DeviceReply& reply, TimedRun& run);

  Problem& problem();

  DeviceInfo device_;
  WorkStream stream_;
  Monitor monitor_;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<LaunchReplay> replay_;  ///< or this one, never both
};

}  // namespace tuner::engine

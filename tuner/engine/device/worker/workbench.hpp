#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tuner/driver/nvml.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/engine/device/worker/kernel.hpp"
#include "tuner/engine/device/worker/work_stream.hpp"

namespace tuner::engine {

/// What a device worker does with its requests. Needs a current context. Everything that can be known about a candidate
/// is in the reply; throws Error{internal} only for a request that makes no sense (screening before preparing).
class Workbench {
 public:
  explicit Workbench(DeviceInfo device);
  ~Workbench();

  WorkerReply handle(const DeviceRequest& request);

 private:
  struct Problem;

  void prepare(const PrepareProblem& request, DeviceReply& reply);
  void reference(const RunReference& request, DeviceReply& reply);
  void screen(const ScreenCandidate& request, DeviceReply& reply);
  void load_finalists(const LoadFinalists& request, DeviceReply& reply);
  void run_block(const RunBlock& request, DeviceReply& reply);
  void recheck_finalist(const RecheckFinalist& request, DeviceReply& reply);
  void confirm(const ConfirmCandidate& request, DeviceReply& reply);

  void time_and_inspect(LoadedKernel& kernel, const ScreenPolicy& policy, std::optional<double> best_ns,
                        DeviceReply& reply);

  Problem& problem();

  DeviceInfo device_;
  WorkStream stream_;
  Monitor monitor_;
  std::unique_ptr<Problem> problem_;
};

}  // namespace tuner::engine

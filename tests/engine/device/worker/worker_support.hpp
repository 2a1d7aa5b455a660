#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::engine {

/// One device worker over the fake driver, without the lane that would replace it: what it says is what is seen.
class TestWorker {
 public:
  explicit TestWorker(std::vector<std::string> environment = {});

  WorkerReply ask(const DeviceRequest& request);
  /// Prepares the problem and runs the reference; returns the reply to the preparation.
  DeviceReply prepare(const PrepareProblem& request = problem());

 private:
  Message next();

  ChildProcess worker_;
};

}  // namespace tuner::engine

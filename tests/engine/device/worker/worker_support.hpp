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

  DeviceReply ask(const DeviceRequest& request);
  DeviceReply expect(const DeviceRequest& request, Outcome outcome, std::string_view words = {},
                     const TestLine& asked = TestLine::current());
  /// Whether the last reply was the worker's last.
  bool ends() const { return ends_; }
  /// Prepares the problem and runs the reference; returns the reply to the preparation.
  DeviceReply prepare(const PrepareProblem& request = problem());

 private:
  Message next();

  ChildProcess worker_;
  bool ends_ = false;
};

/// Has a problem and a reference.
class PreparedWorker : public TestWorker {
 public:
  explicit PreparedWorker(const PrepareProblem& request = problem(), std::vector<std::string> environment = {})
      : TestWorker(std::move(environment)) {
    prepare(request);
  }
};

}  // namespace tuner::engine

#include "tuner/engine/candidates/device_session.hpp"

#include <doctest/doctest.h>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

using State = DeviceSession::State;

struct Scripted {
  DeviceReply operator()(const DeviceRequest& request) const {
    DeviceReply reply;
    reply.launches = 1;
    if (fails && request.index() == *fails) reply.outcome = Outcome::worker_lost;
    return reply;
  }
  std::optional<std::size_t> fails;  ///< the kind of request that does
};

/// With a reference, ready to screen.
void begin(DeviceSession& device) {
  device.prepare({});
  device.poll();
  device.run_reference({}, [](const DeviceReply&) {});
  device.poll();
}

TEST_CASE("the device is prepared, learns the reference, screens, races, and comes back from another problem") {
  const Task task = make_task();
  DeviceBench bench(task, Scripted{});
  DeviceSession& device = bench.device;
  CHECK(device.state() == State::unprepared);
  device.prepare({});
  CHECK(device.busy());
  CHECK(device.poll());
  CHECK(device.state() == State::prepared);
  CHECK_FALSE(device.can_screen());

  int taken = 0;
  const auto take = [&](const DeviceReply&) { ++taken; };
  device.run_reference({.configuration = kBaseline}, take);
  CHECK(device.state() == State::reference);
  CHECK_FALSE(device.reference_done());
  device.poll();
  CHECK(device.state() == State::screening);
  CHECK(device.reference_done());
  CHECK(device.reference()->configuration == kBaseline);
  device.screen({}, std::nullopt, take);
  device.poll();
  CHECK(taken == 2);
  CHECK_FALSE(device.busy());

  device.call(LoadFinalists{});
  CHECK(device.state() == State::racing);
  device.prepare_for(make_task({}, kKernel, 7));
  CHECK(device.state() == State::elsewhere);
  CHECK_FALSE(device.can_screen());
  device.return_to_task();
  CHECK(device.state() == State::screening);  // the finalists are gone
  CHECK(device.launches() == 7);
}

TEST_CASE("without anything to compare with, the device screens as soon as it is prepared") {
  const Task task = make_task();
  for (const bool early : {true, false}) {
    DeviceBench bench(task, Scripted{});
    if (early) bench.device.skip_reference();
    bench.device.prepare({});
    bench.device.poll();
    if (!early) bench.device.skip_reference();
    CHECK(bench.device.state() == State::screening);
  }
}

TEST_CASE("finalists that cannot be loaded are not resident") {
  const Task task = make_task();
  DeviceBench bench(task, Scripted{DeviceRequest(LoadFinalists{}).index()});
  begin(bench.device);
  CHECK(bench.device.call(LoadFinalists{}).outcome == Outcome::worker_lost);
  CHECK(bench.device.state() == State::screening);
}

TEST_CASE("a device that cannot be set up for the task again is lost") {
  const Task task = make_task();
  int prepared = 0;
  DeviceBench bench(task, [&](const DeviceRequest& request) {
    DeviceReply reply;
    if (std::holds_alternative<PrepareProblem>(request) && ++prepared == 3) reply.outcome = Outcome::out_of_memory;
    return reply;
  });
  begin(bench.device);
  bench.device.return_to_task();  // it is there
  CHECK(prepared == 1);
  bench.device.prepare_for(make_task({}, kKernel, 7));
  CHECK_THROWS_WITH_AS(bench.device.return_to_task(), doctest::Contains("n=1000"), Error);
}

}  // namespace
}  // namespace tuner::engine

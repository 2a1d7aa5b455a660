#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <string>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tests/support/errors.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace std::chrono_literals;

namespace {

std::string last_words(TestLane& test) {
  return test::error_of(Errc::device_lost, [&] { test.ask(problem()); });
}

}  // namespace

TEST_CASE("a worker killed from outside over a request costs nobody anything") {
  TestLane test(problem());
  test.submit_and_kill(1, reference());
  CHECK(test.wait_for(1).outcome == Outcome::ok);
  test.submit_and_kill(2, screen("wrong"));
  CHECK(test.wait_for(2).outcome == Outcome::wrong_result);
  test.submit_and_kill(3, ConfirmCandidate{candidate("right"), candidate("right"), 77});
  CHECK(test.wait_for(3).outcome == Outcome::ok);
  test.submit_and_kill(4, LoadFinalists{{candidate("right"), candidate("right")}});
  CHECK(test.wait_for(4).outcome == Outcome::ok);
  CHECK(test.ask(RunBlock{{0, 1}}).result_of<RunBlock>().samples_ns.size() == 2);
  CHECK(test.order == std::vector<TicketId>{1000, 1, 2, 3, 4, 1001});
}

TEST_CASE("a candidate over which two workers are killed has itself to blame, and the device is not given up") {
  PreparedLane test;
  for (TicketId ticket = 1; ticket <= 3; ++ticket) {
    test.expect(screen("killed"), Outcome::worker_lost, "The device worker ended by signal 9 (Killed)");
  }
  test.expect(screen("right"), Outcome::ok);
}

TEST_CASE("a block after finalists that could not be loaded is told why, and costs no worker") {
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("right")}}, Outcome::ok);
  REQUIRE(test.ask(LoadFinalists{{candidate("right"), candidate("not_a_binary")}}).outcome != Outcome::ok);
  const pid_t before = test.lane.worker_pid();
  test.expect(RunBlock{{0}}, Outcome::worker_lost,
              "There are no finalists to race: The finalist BEHAVIOUR=not_a_binary: ");
  CHECK(test.lane.worker_pid() == before);
  // Nor does a new worker get those of before.
  test.expect(screen("faults"), Outcome::illegal_access);
  test.expect(RunBlock{{0}}, Outcome::worker_lost);
  test.expect(LoadFinalists{{candidate("right")}}, Outcome::ok);
  test.expect(RunBlock{{0}}, Outcome::ok);
}

TEST_CASE("the lane waits for the launches that lead in warm samples") {
  TestLane test({.slack = 2000ms});
  PrepareProblem request = problem(200ms);
  request.mode = Timing::warm;
  request.arguments[2].role = Argument::Role::scratch;  // nothing to restore, so that there is more than one
  test.expect(request, Outcome::ok);
  RunReference slow = reference("right time=140000000 wait=140");
  slow.candidate.scratch_lengths = {kLength, 64};
  CHECK(test.expect(slow, Outcome::ok).launches > 10);
}

TEST_CASE("a short kernel that hangs among many launches is noticed as soon as any other") {
  for (const Timing mode : {Timing::cold, Timing::warm}) {
    TestLane test({.slack = 2000ms});
    PrepareProblem request = problem(300ms);
    request.mode = mode;
    request.arguments[2].role = Argument::Role::scratch;
    test.expect(request, Outcome::ok);
    RunReference first = reference("right time=1000");
    first.candidate.scratch_lengths = {kLength, 64};
    test.expect(first, Outcome::ok);
    LoadFinalists finalists{{candidate("hangs_later time=1000")}, 20};
    finalists.candidates[0].scratch_lengths = {kLength, 64};
    test.expect(finalists, Outcome::ok);
    const DeviceReply reply = test.expect(RunBlock{{0}, 20}, Outcome::run_timeout);
    // By the worker: with 20 timeouts to wait for, the lane would have lost patience.
    CHECK(reply.result_of<RunBlock>().culprit == 0U);
  }
}

TEST_CASE("a fault costs one candidate and one worker, and the new worker knows the problem") {
  PreparedLane test;
  const pid_t before = test.lane.worker_pid();
  test.expect(screen("faults"), Outcome::illegal_access, "CUDA_ERROR_ILLEGAL_ADDRESS (700: as the test wanted)");
  CHECK(test.lane.worker_pid() != before);
  test.expect(screen("right"), Outcome::ok);
  test.expect(screen("wrong"), Outcome::wrong_result);
}

TEST_CASE("what is wrong is found out also where the candidates before it cost their workers") {
  PreparedLane test;
  for (int i = 0; i < 2; ++i) {
    test.expect(screen("faults"), Outcome::illegal_access);
    test.expect(screen("past_end"), Outcome::guard_violation);
    test.expect(screen("input"), Outcome::input_modified);
    test.expect(screen("faults"), Outcome::illegal_access);
    test.expect(screen("input"), Outcome::input_modified);
  }
}

TEST_CASE("a candidate that never ends is stopped at its launch timeout") {
  PreparedLane test({}, 200ms);
  const auto start = std::chrono::steady_clock::now();
  test.expect(screen("hangs"), Outcome::run_timeout, "still running after 200 ms");
  CHECK(std::chrono::steady_clock::now() - start > 200ms);
  test.expect(screen("right"), Outcome::ok);
}

TEST_CASE("a call of the driver's that never returns is stopped by the lane") {
  TestLane test({.slack = 3000ms});  // wide enough for a busy machine to prepare within
  test.prepare(10ms);
  test.expect(screen("stuck"), Outcome::run_timeout, "did not answer within");
  test.expect(screen("right"), Outcome::ok);
}

TEST_CASE("a worker that ends without a word loses its candidate and no other") {
  PreparedLane test;
  test.lane.submit(1, screen("dies"));
  test.lane.submit(2, screen("right"));
  test.lane.submit(3, screen("faults"));
  test.lane.submit(4, screen("wrong"));
  CHECK(test.wait_for(4).outcome == Outcome::wrong_result);
  const DeviceReply lost = test.wait_for(1);
  CHECK(lost.outcome == Outcome::worker_lost);
  CHECK(says(lost, "The device worker exited with status 3"));
  CHECK(test.wait_for(2).outcome == Outcome::ok);
  CHECK(test.wait_for(3).outcome == Outcome::illegal_access);
}

TEST_CASE("a worker that is killed while it is idle is replaced unnoticed") {
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("right time=50000")}}, Outcome::ok);
  const pid_t before = test.lane.worker_pid();
  REQUIRE(kill(before, SIGKILL) == 0);
  const DeviceReply reply = test.ask(RunBlock{{0}});
  CHECK(test.lane.worker_pid() != before);
  // The request may have been on its way; then it is lost with its worker and may be asked for again.
  if (reply.outcome != Outcome::worker_lost) CHECK(reply.outcome == Outcome::ok);
  CHECK(test.expect(RunBlock{{0, 0}}, Outcome::ok).result_of<RunBlock>().samples_ns.size() == 2);
}

TEST_CASE("a finalist that faults in a block is named, and the block's samples before it are kept") {
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("right"), candidate("faults_later")}}, Outcome::ok);
  const DeviceReply reply = test.repeat_until_failure({{0, 1}});
  CHECK(reply.outcome == Outcome::illegal_access);
  CHECK(says(reply, "The finalist BEHAVIOUR=faults_later: It ended the GPU's context"));
  CHECK(reply.result_of<RunBlock>().samples_ns.size() == 1);
  CHECK(reply.result_of<RunBlock>().culprit == 1U);
  test.expect(RunBlock{{0}}, Outcome::ok);
}

TEST_CASE("a finalist that hangs in a block is stopped") {
  PreparedLane test({}, 100ms);
  test.expect(LoadFinalists{{candidate("hangs_later")}}, Outcome::ok);
  const DeviceReply reply = test.repeat_until_failure({{0}});
  CHECK(reply.outcome == Outcome::run_timeout);
  CHECK(reply.result_of<RunBlock>().culprit == 0U);
}

TEST_CASE("a finalist that cannot be loaded is named by its position, and none that can") {
  PreparedLane test;
  const DeviceReply reply = test.expect(LoadFinalists{{candidate("right"), candidate("not_a_binary")}},
                                        Outcome::launch_refused, "The finalist BEHAVIOUR=not_a_binary: ");
  CHECK(reply.result_of<LoadFinalists>().culprit == 1U);
  const DeviceReply loaded = test.expect(LoadFinalists{{candidate("right"), candidate("right")}}, Outcome::ok);
  CHECK(loaded.message.empty());
  CHECK_FALSE(loaded.result_of<LoadFinalists>().culprit.has_value());
  CHECK_FALSE(test.ask(RunBlock{{1, 0}}).result_of<RunBlock>().culprit.has_value());
}

TEST_CASE("a finalist that the driver refuses in a block is named by its position, not by its place in the block") {
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("refused"), candidate("right")}}, Outcome::ok);
  const DeviceReply reply = test.expect(RunBlock{{1, 0}}, Outcome::launch_refused);
  CHECK(reply.result_of<RunBlock>().samples_ns.size() == 1);
  CHECK(reply.result_of<RunBlock>().culprit == 0U);
}

TEST_CASE("three workers in a row that die at their start lose the device") {
  TestLane test({.environment = {"FAKE_DRIVER=dies"}});
  CHECK(last_words(test) ==
        "GPU 0 was abandoned: 3 device workers in a row could not be started or prepared. The last: The device worker "
        "ended by signal 9 (Killed); its last output: \"the fake driver was told to die\". Check `nvidia-smi` and the "
        "system log (dmesg) for Xid errors.");
  CHECK_THROWS_AS(test.lane.poll(), Error);
}

TEST_CASE("three workers in a row without a context, or that say nothing, lose the device") {
  const std::pair<const char*, const char*> drivers[] = {
      {"FAKE_DRIVER=no_context", "cuDevicePrimaryCtxRetain returned CUDA_ERROR_OF_FAKE (2: as the test wanted)."},
      {"FAKE_DRIVER=mute", "did not report within 100 ms"},
  };
  for (const auto& [environment, words] : drivers) {
    CAPTURE(environment);
    const bool is_mute = environment == drivers[1].first;
    TestLane test({.start_limit = is_mute ? 100ms : DeviceLaneOptions{}.start_limit, .environment = {environment}});
    CHECK(last_words(test).find(words) != std::string::npos);
  }
}

TEST_CASE("a machine without a GPU, or without the driver library that is named, is told at once") {
  const std::pair<const char*, const char*> machines[] = {
      {"FAKE_DRIVER=none", "it finds no GPU"},
      {"TUNER_DRIVER=/nowhere/libcuda.so", "'/nowhere/libcuda.so', named by TUNER_DRIVER, cannot be opened"},
  };
  for (const auto& [environment, words] : machines) {
    CAPTURE(environment);
    TestLane test({.environment = {environment}});
    const std::string message = test::error_of(Errc::no_driver, [&] { test.lane.info(); });
    CHECK(message.find(words) != std::string::npos);
  }
}

TEST_CASE("a request that makes no sense ends the worker, not the lane") {
  TestLane test(problem());
  test.expect(screen("right"), Outcome::worker_lost, "before it had a reference");
  test.prepare();
}

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <string>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tuner/error.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace std::chrono_literals;

namespace {

bool says(const DeviceReply& reply, const std::string& words) {
  return reply.message.find(words) != std::string::npos;
}

std::string last_words(TestLane& test) {
  try {
    test.ask(problem());
  } catch (const Error& error) {
    if (error.code() == Errc::device_lost) return error.what();
  }
  return {};
}

// Submits while the worker is halted and then kills it, so that it has the request and has not answered.
void submit_and_kill(TestLane& test, TicketId ticket, DeviceRequest request) {
  const pid_t worker = test.lane.worker_pid();
  REQUIRE(kill(worker, SIGSTOP) == 0);
  test.lane.submit(ticket, std::move(request));
  REQUIRE(kill(worker, SIGKILL) == 0);
}

}  // namespace

TEST_CASE("a worker killed from outside over a request costs nobody anything") {
  TestLane test;
  REQUIRE(test.ask(problem()).outcome == Outcome::ok);
  submit_and_kill(test, 1, reference());
  CHECK(test.wait_for(1).outcome == Outcome::ok);
  submit_and_kill(test, 2, screen("wrong"));
  CHECK(test.wait_for(2).outcome == Outcome::wrong_result);
  submit_and_kill(test, 3, ConfirmCandidate{candidate("right"), candidate("right"), 77});
  CHECK(test.wait_for(3).outcome == Outcome::ok);
  submit_and_kill(test, 4, LoadFinalists{{candidate("right"), candidate("right")}});
  CHECK(test.wait_for(4).outcome == Outcome::ok);
  CHECK(test.ask(RunBlock{{0, 1}}).result_of<RunBlock>().samples_ns.size() == 2);
  CHECK(test.order == std::vector<TicketId>{1000, 1, 2, 3, 4, 1001});
}

TEST_CASE("a candidate over which two workers are killed has itself to blame, and the device is not given up") {
  TestLane test;
  test.prepare();
  for (TicketId ticket = 1; ticket <= 3; ++ticket) {
    const DeviceReply reply = test.ask(screen("killed"));
    CHECK(reply.outcome == Outcome::worker_lost);
    CHECK(says(reply, "The device worker ended by signal 9 (Killed)"));
  }
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
}

TEST_CASE("a block after finalists that could not be loaded is told why, and costs no worker") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("right")}}).outcome == Outcome::ok);
  REQUIRE(test.ask(LoadFinalists{{candidate("right"), candidate("not_a_binary")}}).outcome != Outcome::ok);
  const pid_t before = test.lane.worker_pid();
  const DeviceReply reply = test.ask(RunBlock{{0}});
  CHECK(reply.outcome == Outcome::worker_lost);
  CHECK(says(reply, "There are no finalists to race: The finalist BEHAVIOUR=not_a_binary: "));
  CHECK(test.lane.worker_pid() == before);
  // Nor does a new worker get those of before.
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
  CHECK(test.ask(RunBlock{{0}}).outcome == Outcome::worker_lost);
  REQUIRE(test.ask(LoadFinalists{{candidate("right")}}).outcome == Outcome::ok);
  CHECK(test.ask(RunBlock{{0}}).outcome == Outcome::ok);
}

TEST_CASE("the lane waits for the launches that lead in warm samples") {
  TestLane test({.slack = 2000ms});
  PrepareProblem request = problem(200ms);
  request.mode = Timing::warm;
  request.arguments[2].role = Argument::Role::scratch;  // nothing to restore, so that there is more than one
  REQUIRE(test.ask(request).outcome == Outcome::ok);
  RunReference slow = reference("right time=140000000 wait=140");
  slow.candidate.scratch_lengths = {kLength, 64};
  const DeviceReply reply = test.ask(slow);
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
  CHECK(reply.launches > 10);
}

TEST_CASE("a short kernel that hangs among many launches is noticed as soon as any other") {
  for (const Timing mode : {Timing::cold, Timing::warm}) {
    TestLane test({.slack = 2000ms});
    PrepareProblem request = problem(300ms);
    request.mode = mode;
    request.arguments[2].role = Argument::Role::scratch;
    REQUIRE(test.ask(request).outcome == Outcome::ok);
    RunReference first = reference("right time=1000");
    first.candidate.scratch_lengths = {kLength, 64};
    REQUIRE(test.ask(first).outcome == Outcome::ok);
    LoadFinalists finalists{{candidate("hangs_later time=1000")}, 20};
    finalists.candidates[0].scratch_lengths = {kLength, 64};
    REQUIRE(test.ask(finalists).outcome == Outcome::ok);
    const DeviceReply reply = test.ask(RunBlock{{0}, 20});
    CHECK(reply.outcome == Outcome::run_timeout);
    CHECK(reply.result_of<RunBlock>().culprit ==
          0U);  // by the worker: with 20 timeouts to wait for, the lane would have lost patience
  }
}

TEST_CASE("a fault costs one candidate and one worker, and the new worker knows the problem") {
  TestLane test;
  test.prepare();
  const pid_t before = test.lane.worker_pid();
  const DeviceReply reply = test.ask(screen("faults"));
  CHECK(reply.outcome == Outcome::illegal_access);
  CHECK(says(reply, "CUDA_ERROR_ILLEGAL_ADDRESS (700: as the test wanted)"));
  CHECK(test.lane.worker_pid() != before);
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  CHECK(test.ask(screen("wrong")).outcome == Outcome::wrong_result);
}

TEST_CASE("what is wrong is found out also where the candidates before it cost their workers") {
  TestLane test;
  test.prepare();
  for (int i = 0; i < 2; ++i) {
    REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
    CHECK(test.ask(screen("past_end")).outcome == Outcome::guard_violation);
    CHECK(test.ask(screen("input")).outcome == Outcome::input_modified);
    REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
    CHECK(test.ask(screen("input")).outcome == Outcome::input_modified);
  }
}

TEST_CASE("a candidate that never ends is stopped at its launch timeout") {
  TestLane test;
  test.prepare(200ms);
  const auto start = std::chrono::steady_clock::now();
  const DeviceReply reply = test.ask(screen("hangs"));
  CHECK(reply.outcome == Outcome::run_timeout);
  CHECK(says(reply, "still running after 200 ms"));
  CHECK(std::chrono::steady_clock::now() - start > 200ms);
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
}

TEST_CASE("a call of the driver's that never returns is stopped by the lane") {
  TestLane test({.slack = 3000ms});  // wide enough for a busy machine to prepare within
  test.prepare(10ms);
  const DeviceReply reply = test.ask(screen("stuck"));
  CHECK(reply.outcome == Outcome::run_timeout);
  CHECK(says(reply, "did not answer within"));
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
}

TEST_CASE("a worker that ends without a word loses its candidate and no other") {
  TestLane test;
  test.prepare();
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
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("right time=50000")}}).outcome == Outcome::ok);
  const pid_t before = test.lane.worker_pid();
  REQUIRE(kill(before, SIGKILL) == 0);
  const DeviceReply reply = test.ask(RunBlock{{0}});
  CHECK(test.lane.worker_pid() != before);
  // The request may have been on its way; then it is lost with its worker and may be asked for again.
  if (reply.outcome != Outcome::worker_lost) CHECK(reply.outcome == Outcome::ok);
  const DeviceReply again = test.ask(RunBlock{{0, 0}});
  CHECK(again.outcome == Outcome::ok);
  CHECK(again.result_of<RunBlock>().samples_ns.size() == 2);
}

TEST_CASE("a finalist that faults in a block is named, and the block's samples before it are kept") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("right"), candidate("faults_later")}}).outcome == Outcome::ok);
  DeviceReply reply;
  for (int block = 0; block < 8 && reply.outcome == Outcome::ok; ++block) reply = test.ask(RunBlock{{0, 1}});
  CHECK(reply.outcome == Outcome::illegal_access);
  CHECK(says(reply, "The finalist BEHAVIOUR=faults_later: It ended the GPU's context"));
  CHECK(reply.result_of<RunBlock>().samples_ns.size() == 1);
  CHECK(reply.result_of<RunBlock>().culprit == 1U);
  const DeviceReply after = test.ask(RunBlock{{0}});
  CHECK(after.outcome == Outcome::ok);
}

TEST_CASE("a finalist that hangs in a block is stopped") {
  TestLane test;
  test.prepare(100ms);
  REQUIRE(test.ask(LoadFinalists{{candidate("hangs_later")}}).outcome == Outcome::ok);
  DeviceReply reply;
  for (int block = 0; block < 8 && reply.outcome == Outcome::ok; ++block) reply = test.ask(RunBlock{{0}});
  CHECK(reply.outcome == Outcome::run_timeout);
  CHECK(reply.result_of<RunBlock>().culprit == 0U);
}

TEST_CASE("a finalist that cannot be loaded is named by its position, and none that can") {
  TestLane test;
  test.prepare();
  const DeviceReply reply = test.ask(LoadFinalists{{candidate("right"), candidate("not_a_binary")}});
  CHECK(reply.outcome == Outcome::launch_refused);
  CHECK(reply.result_of<LoadFinalists>().culprit == 1U);
  CHECK(says(reply, "The finalist BEHAVIOUR=not_a_binary: "));
  const DeviceReply loaded = test.ask(LoadFinalists{{candidate("right"), candidate("right")}});
  CHECK(loaded.outcome == Outcome::ok);
  CHECK(loaded.message.empty());
  CHECK_FALSE(loaded.result_of<LoadFinalists>().culprit.has_value());
  CHECK_FALSE(test.ask(RunBlock{{1, 0}}).result_of<RunBlock>().culprit.has_value());
}

TEST_CASE("a finalist that the driver refuses in a block is named by its position, not by its place in the block") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("refused"), candidate("right")}}).outcome == Outcome::ok);
  const DeviceReply reply = test.ask(RunBlock{{1, 0}});
  CHECK(reply.outcome == Outcome::launch_refused);
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

TEST_CASE("three workers in a row without a context lose the device") {
  TestLane test({.environment = {"FAKE_DRIVER=no_context"}});
  CHECK(last_words(test).find("cuDevicePrimaryCtxRetain returned CUDA_ERROR_OF_FAKE (2: as the test wanted).") !=
        std::string::npos);
}

TEST_CASE("three workers in a row that say nothing lose the device") {
  TestLane test({.start_limit = 100ms, .environment = {"FAKE_DRIVER=mute"}});
  CHECK(last_words(test).find("did not report within 100 ms") != std::string::npos);
}

TEST_CASE("a machine without a GPU is told at once") {
  TestLane test({.environment = {"FAKE_DRIVER=none"}});
  try {
    test.lane.info();
    FAIL("a device was found");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::no_driver);
    CHECK(std::string(error.what()).find("it finds no GPU") != std::string::npos);
  }
}

TEST_CASE("a driver library that is not there is named") {
  TestLane test({.environment = {"TUNER_DRIVER=/nowhere/libcuda.so"}});
  try {
    test.lane.info();
    FAIL("a device was found");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::no_driver);
    CHECK(std::string(error.what()).find("'/nowhere/libcuda.so', named by TUNER_DRIVER, cannot be opened") !=
          std::string::npos);
  }
}

TEST_CASE("a request that makes no sense ends the worker, not the lane") {
  TestLane test;
  REQUIRE(test.ask(problem()).outcome == Outcome::ok);
  const DeviceReply reply = test.ask(screen("right"));
  CHECK(reply.outcome == Outcome::worker_lost);
  CHECK(says(reply, "before it had a reference"));
  test.prepare();
}

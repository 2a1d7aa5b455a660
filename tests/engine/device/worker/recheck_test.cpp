// Finalists that are checked again after they were timed, in the module in which they were.
#include <doctest/doctest.h>
#include <signal.h>

#include "tests/engine/device/worker/worker_support.hpp"
#include "tests/runtime/cubin_builder.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

/// A candidate whose binary has a global variable, of which the fake driver's kernels say how often they were launched.
Candidate counting(const std::string& behaviour) {
  Candidate result = candidate(behaviour);
  result.cubin = test::make_cubin({.kernel = "kernel",
                                   .parameter_sizes = {8, 8, 8, 8, 4},
                                   .instructions = behaviour,
                                   .arrays = {},
                                   .globals = {{"launches_done", 8}}});
  return result;
}

bool says(const DeviceReply& reply, const std::string& words) {
  return reply.message.find(words) != std::string::npos;
}

/// A worker with these finalists, of which each has been timed so often.
struct Race {
  explicit Race(std::vector<Candidate> finalists, int blocks = 4, const PrepareProblem& prepared = problem()) {
    worker.prepare(prepared);
    const std::size_t count = finalists.size();
    REQUIRE(worker.ask(LoadFinalists{std::move(finalists)}).reply.outcome == Outcome::ok);
    for (int block = 0; block < blocks; ++block) {
      for (std::size_t i = 0; i < count; ++i) {
        const DeviceReply reply = worker.ask(RunBlock{{i}}).reply;
        INFO(reply.message);
        REQUIRE(reply.outcome == Outcome::ok);
      }
    }
  }
  DeviceReply recheck(std::size_t finalist, int launches = 0) {
    return worker.ask(RecheckFinalist{finalist, launches}).reply;
  }
  /// As the one that is to win.
  DeviceReply recheck_winner(int launches = 0) { return worker.ask(RecheckFinalist{0, launches, true}).reply; }

  TestWorker worker;
};

}  // namespace

TEST_CASE("a kernel that skips its work from the fifth launch on passed for right, because it was checked in two") {
  Race race({candidate("skips from=5"), candidate("right")});
  CHECK(race.worker.ask(screen("skips from=5")).reply.outcome == Outcome::ok);
  const DeviceReply reply = race.recheck(0);
  CHECK(reply.outcome == Outcome::unwritten_output);
  CAPTURE(reply.message);
  CHECK(says(reply, "It was correct when it was loaded, but not after "));
  CHECK(says(reply, " launches: It leaves 1000 of 1000 elements of 'doubled' unwritten"));
  CHECK(says(reply, "must not depend on earlier launches (a __device__ variable?)"));
  CHECK(race.recheck(1).outcome == Outcome::ok);
}

TEST_CASE("a kernel that skips its work where its buffers are those of the launch before passed between two fences") {
  Race race({candidate("skips_known_buffers")});
  CHECK(race.worker.ask(screen("skips_known_buffers")).reply.outcome == Outcome::ok);
  CHECK(race.recheck(0).outcome != Outcome::ok);
}

TEST_CASE("a winner that changes its globals harmlessly is launched a thousand times, once, and wins") {
  Race race({counting("right")});
  const DeviceReply first = race.recheck(0);
  CHECK(first.outcome == Outcome::ok);
  CHECK(first.message.empty());
  CHECK(first.launches == 2);
  const DeviceReply winner = race.recheck_winner();
  INFO(winner.message);
  CHECK(winner.outcome == Outcome::ok);
  CHECK(winner.launches == 1000 + 2);
  CHECK(race.recheck_winner().launches == 0);  // nothing was launched since
}

TEST_CASE("state that shows from the five hundredth launch on is found in a winner whose globals change") {
  for (const char* behaviour : {"skips from=50", "skips from=500", "skips from=1000"}) {
    CAPTURE(behaviour);
    Race race({counting(behaviour)});
    CHECK(race.recheck(0).outcome == Outcome::ok);
    const DeviceReply winner = race.recheck_winner();
    CHECK(winner.outcome == Outcome::unwritten_output);
    CAPTURE(winner.message);
    CHECK(says(winner, "not after 10"));
  }
}

TEST_CASE("a winner whose launches leave its globals as they were is not launched a thousand times") {
  Race resetting({counting("resets")});
  CHECK(resetting.recheck_winner().launches == 1 + 2);
  Race without_any({candidate("right")});
  CHECK(without_any.recheck_winner().launches == 2);
}

TEST_CASE("globals that are as they were at every second launch are seen to change") {
  for (const int blocks : {4, 5}) {
    Race race({counting("alternates")}, blocks);
    CHECK(race.recheck_winner().launches >= 1000 + 2);
  }
}

TEST_CASE("a long kernel is launched for a second of the device's time rather than a thousand times") {
  Race race({counting("right time=10000000")});
  const DeviceReply reply = race.recheck_winner();
  CHECK(reply.outcome == Outcome::ok);
  CHECK(reply.launches == 100 + 2);
}

TEST_CASE("every launch of long use finds its in/out buffer as it was before the first") {
  Race race({counting("expects_fresh")});
  const DeviceReply reply = race.recheck_winner();
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
}

TEST_CASE("a module that was loaded anew gets the launches that it lacks before it is checked") {
  Race race({candidate("skips from=50")}, 0);
  CHECK(race.recheck(0).outcome == Outcome::ok);
  const DeviceReply reply = race.recheck(0, 60);
  CHECK(reply.outcome == Outcome::unwritten_output);
  CHECK(says(reply, "not after 60 launches"));
}

TEST_CASE("a finalist is not blamed for what another one did to the buffers while both were timed") {
  Race race({candidate("input"), candidate("past_end"), candidate("right")});
  const DeviceReply reply = race.recheck(2);
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
  CHECK(race.recheck(1).outcome != Outcome::ok);
}

TEST_CASE("a launch that hangs in long use is named as such") {
  Race race({counting("hangs_later")}, 0, problem(std::chrono::milliseconds(50)));
  const WorkerReply answer = race.worker.ask(RecheckFinalist{0, 0, true});
  CHECK(answer.ends);
  CHECK(answer.reply.outcome == Outcome::run_timeout);
  CHECK(says(answer.reply,
             "Launched again in the module in which it was timed: Its launch was still running after 50 ms"));
}

TEST_CASE("a worker lost between the race and the check does not make a finalist pass") {
  TestLane test;
  test.prepare();
  const int blocks = 60;
  REQUIRE(test.ask(LoadFinalists{{candidate("skips from=50"), candidate("right")}}).outcome == Outcome::ok);
  for (int block = 0; block < blocks; ++block) REQUIRE(test.ask(RunBlock{{0, 1}}).outcome == Outcome::ok);
  const pid_t worker = test.lane.worker_pid();
  REQUIRE(kill(worker, SIGKILL) == 0);
  CHECK(test.ask(RecheckFinalist{0, blocks}).outcome == Outcome::unwritten_output);
  CHECK(test.lane.worker_pid() != worker);
  CHECK(test.ask(RecheckFinalist{1, blocks, true}).outcome == Outcome::ok);
}

TEST_CASE("without finalists there is none to check again") {
  TestLane test;
  test.prepare();
  const DeviceReply reply = test.ask(RecheckFinalist{0});
  CHECK(reply.outcome == Outcome::worker_lost);
  CHECK(says(reply, "There are no finalists"));
}

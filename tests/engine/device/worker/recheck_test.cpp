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
  result.cubin.bytes = test::make_cubin({.kernel = "kernel",
                                         .parameter_sizes = {8, 8, 8, 8, 4},
                                         .instructions = behaviour,
                                         .arrays = {},
                                         .globals = {{"launches_done", 8}}});
  return result;
}

/// A worker with these finalists, of which each has been timed so often.
struct Race {
  explicit Race(std::vector<Candidate> finalists, int blocks = 4, const PrepareProblem& prepared = problem()) {
    worker.prepare(prepared);
    const std::size_t count = finalists.size();
    worker.expect(LoadFinalists{std::move(finalists)}, Outcome::ok);
    for (int block = 0; block < blocks; ++block) {
      for (std::size_t i = 0; i < count; ++i) worker.expect(RunBlock{{i}}, Outcome::ok);
    }
  }
  DeviceReply recheck(std::size_t finalist, Outcome outcome, int launches = 0,
                      const TestLine& asked = TestLine::current()) {
    return worker.expect(RecheckFinalist{finalist, launches}, outcome, {}, asked);
  }
  /// As the one that is to win.
  DeviceReply recheck_winner(Outcome outcome = Outcome::ok, const TestLine& asked = TestLine::current()) {
    return worker.expect(RecheckFinalist{0, 0, true}, outcome, {}, asked);
  }

  TestWorker worker;
};

}  // namespace

TEST_CASE("a kernel that skips its work from the fifth launch on passed for right, because it was checked in two") {
  Race race({candidate("skips from=5"), candidate("right")});
  race.worker.expect(screen("skips from=5"), Outcome::ok);
  const DeviceReply reply = race.recheck(0, Outcome::unwritten_output);
  CHECK(says(reply, "It was correct when it was loaded, but not after "));
  CHECK(says(reply, " launches: It leaves 1000 of 1000 elements of 'doubled' unwritten"));
  CHECK(says(reply, "must not depend on earlier launches (a __device__ variable?)"));
  race.recheck(1, Outcome::ok);
}

TEST_CASE("a kernel that skips its work where its buffers are those of the launch before passed between two fences") {
  Race race({candidate("skips_known_buffers")});
  race.worker.expect(screen("skips_known_buffers"), Outcome::ok);
  CHECK(race.worker.ask(RecheckFinalist{0}).outcome != Outcome::ok);
}

TEST_CASE("a winner that changes its globals harmlessly is launched a thousand times, once, and wins") {
  Race race({counting("right")});
  const DeviceReply first = race.recheck(0, Outcome::ok);
  CHECK(first.message.empty());
  CHECK(first.launches == 2);
  CHECK(race.recheck_winner().launches == 1000 + 2);
  CHECK(race.recheck_winner().launches == 0);  // nothing was launched since
}

TEST_CASE("state that shows from the five hundredth launch on is found in a winner whose globals change") {
  for (const char* behaviour : {"skips from=50", "skips from=500", "skips from=1000"}) {
    CAPTURE(behaviour);
    Race race({counting(behaviour)});
    race.recheck(0, Outcome::ok);
    CHECK(says(race.recheck_winner(Outcome::unwritten_output), "not after 10"));
  }
}

TEST_CASE("a winner whose launches leave its globals as they were is not launched a thousand times") {
  CHECK(Race({counting("resets")}).recheck_winner().launches == 1 + 2);
  CHECK(Race({candidate("right")}).recheck_winner().launches == 2);
}

TEST_CASE("globals that are as they were at every second launch are seen to change") {
  for (const int blocks : {4, 5}) {
    CHECK(Race({counting("alternates")}, blocks).recheck_winner().launches >= 1000 + 2);
  }
}

TEST_CASE("a long kernel is launched for a second of the device's time rather than a thousand times") {
  CHECK(Race({counting("right time=10000000")}).recheck_winner().launches == 100 + 2);
}

TEST_CASE("every launch of long use finds its in/out buffer as it was before the first") {
  Race({counting("expects_fresh")}).recheck_winner();
}

TEST_CASE("a module that was loaded anew gets the launches that it lacks before it is checked") {
  Race race({candidate("skips from=50")}, 0);
  race.recheck(0, Outcome::ok);
  CHECK(says(race.recheck(0, Outcome::unwritten_output, 60), "not after 60 launches"));
}

TEST_CASE("a finalist is not blamed for what another one did to the buffers while both were timed") {
  Race race({candidate("input"), candidate("past_end"), candidate("right")});
  race.recheck(2, Outcome::ok);
  CHECK(race.worker.ask(RecheckFinalist{1}).outcome != Outcome::ok);
}

TEST_CASE("a launch that hangs in long use is named as such") {
  Race race({counting("hangs_later")}, 0, problem(std::chrono::milliseconds(50)));
  CHECK(says(race.recheck_winner(Outcome::run_timeout),
             "Launched again in the module in which it was timed: Its launch was still running after 50 ms"));
  CHECK(race.worker.ends());
}

TEST_CASE("a worker lost between the race and the check does not make a finalist pass") {
  PreparedLane test;
  const int blocks = 60;
  test.expect(LoadFinalists{{candidate("skips from=50"), candidate("right")}}, Outcome::ok);
  for (int block = 0; block < blocks; ++block) test.expect(RunBlock{{0, 1}}, Outcome::ok);
  const pid_t worker = test.lane.worker_pid();
  REQUIRE(kill(worker, SIGKILL) == 0);
  test.expect(RecheckFinalist{0, blocks}, Outcome::unwritten_output);
  CHECK(test.lane.worker_pid() != worker);
  test.expect(RecheckFinalist{1, blocks, true}, Outcome::ok);
}

TEST_CASE("without finalists there is none to check again") {
  PreparedLane test;
  test.expect(RecheckFinalist{0}, Outcome::worker_lost, "There are no finalists");
}

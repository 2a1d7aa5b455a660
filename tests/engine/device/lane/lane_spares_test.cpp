#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"
#include "tuner/process/worker_program.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace std::chrono_literals;

namespace {

void wait_for_spares(TestLane& test, int wanted = 2) {
  test.wait_until([&] { return test.lane.statistics().spares_ready == wanted; });
}

bool lives(pid_t pid) {
  return kill(pid, 0) == 0;
}

bool has(const std::vector<pid_t>& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

/// A worker program that counts its starts and fails from the n-th on.
class CountedProgram {
 public:
  explicit CountedProgram(int good_starts) {
    std::filesystem::create_directories(folder_);
    std::ofstream script(program());
    script << "#!/bin/sh\nlog=" << shell_word(log().string()) << "\necho start >> \"$log\"\n"
           << "test $(wc -l < \"$log\") -gt " << good_starts << " && { echo no more >&2; exit 7; }\n"
           << "exec " << shell_word(find_worker_program().string()) << " \"$@\"\n";
    script.close();
    std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
  }
  ~CountedProgram() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path program() const { return folder_ / "worker"; }
  int starts() const {
    std::ifstream lines(log());
    int count = 0;
    for (std::string line; std::getline(lines, line);) ++count;
    return count;
  }

 private:
  std::filesystem::path log() const { return folder_ / "starts"; }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tuner-counted-" + std::to_string(getpid()));
};

}  // namespace

TEST_CASE("a session without faults pays for no spare") {
  TestLane test;
  test.prepare();
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  CHECK(test.lane.worker_pids().size() == 1);
  CHECK(test.lane.statistics().losses.empty());
  CHECK(test.lane.statistics().spares_started == 0);
}

TEST_CASE("after the first loss spares stand by, and the next loss is taken over by one") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
  wait_for_spares(test);
  const std::vector<pid_t> before = test.lane.worker_pids();
  const pid_t lost = test.lane.worker_pid();
  CHECK(test.ask(screen("faults")).outcome == Outcome::illegal_access);
  CHECK(test.lane.worker_pid() != lost);
  CHECK(has(before, test.lane.worker_pid()));
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  const DeviceLaneStatistics statistics = test.lane.statistics();
  REQUIRE(statistics.losses.size() == 3);
  CHECK_FALSE(statistics.losses[0].spare_ready);
  CHECK(statistics.losses[2].spare_ready);
  for (const WorkerLoss& loss : statistics.losses) {
    CHECK(loss.cause == LossCause::fault);
    CHECK_FALSE(loss.preparing);
    CHECK(loss.recovery_ms.has_value());
  }
  CHECK(statistics.busy_s > 0);
  CHECK(statistics.recovering_s > 0);
}

TEST_CASE("a lane that is told to keep no spares keeps none") {
  TestLane test({.spares = 0});
  test.prepare();
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  CHECK(test.lane.statistics().spares_started == 0);
}

TEST_CASE("a candidate that fails only because of what another did to the worker gets its result") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(screen("haunts")).outcome == Outcome::ok);
  const DeviceReply reply = test.ask(screen("is_haunted time=77000"));
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
  CHECK_FALSE(reply.confirmed);
  REQUIRE(reply.timed_run().samples_ns.size() == 3);
  CHECK(reply.timed_run().samples_ns[0] == doctest::Approx(77000).epsilon(1e-4));
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().innocent == 1);
  CHECK(test.lane.statistics().losses.size() == 1);
}

TEST_CASE("a candidate that fails in a worker of its own is confirmed, and never runs more than twice") {
  TestLane test;
  test.prepare();
  const DeviceReply first = test.ask(screen("faults"));
  CHECK(first.outcome == Outcome::illegal_access);
  CHECK(first.confirmed);
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().losses.size() == 2);
  // The worker that lives has run nothing but the reference, so what fails there needs no second run.
  const DeviceReply second = test.ask(screen("faults"));
  CHECK(second.confirmed);
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().losses.size() == 3);
  // What costs no worker is nobody's business but its own.
  CHECK_FALSE(test.ask(screen("wrong")).confirmed);
}

TEST_CASE("a reference that faults is confirmed by a second worker, whatever the first had run before") {
  TestLane test;
  REQUIRE(test.ask(problem()).outcome == Outcome::ok);
  const DeviceReply reply = test.ask(reference("faults"));
  CHECK(reply.outcome == Outcome::illegal_access);
  CHECK(reply.confirmed);
  CHECK(test.lane.statistics().losses.size() == 2);
  REQUIRE(test.ask(reference()).outcome == Outcome::ok);
  CHECK(test.ask(reference("faults")).confirmed);
  CHECK(test.lane.statistics().second_runs == 2);
}

TEST_CASE("a hang costs its timeout once, and then as long as twenty good launches take") {
  TestLane test;
  test.prepare(1500ms);
  ScreenCandidate request = screen("hangs");
  request.best_ns = 100000;
  const DeviceReply reply = test.ask(request);
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::run_timeout);
  CHECK(reply.confirmed);
  CHECK(reply.message.find("still running after 1500 ms") != std::string::npos);
  const DeviceLaneStatistics statistics = test.lane.statistics();
  REQUIRE(statistics.losses.size() == 2);
  CHECK(statistics.losses[0].cause == LossCause::hang);
}

TEST_CASE("a hundred faults in a row are a hundred answers") {
  TestLane test;
  test.prepare();
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    const DeviceReply reply = test.ask(screen("faults"));
    CHECK(reply.outcome == Outcome::illegal_access);
    CHECK(reply.confirmed);
  }
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  CHECK(test.lane.statistics().losses.size() == 101);
}

TEST_CASE("workers and spares that are killed at random cost no candidate its result") {
  std::mt19937 random(20);
  TestLane test;
  test.prepare();
  for (TicketId ticket = 1; ticket <= 60; ++ticket) {
    CAPTURE(ticket);
    // Some of those that stand by or are leaving, and sometimes the one that works, before or after it has the request.
    for (const pid_t pid : test.lane.worker_pids())
      if (pid != test.lane.worker_pid() && random() % 4 == 0) kill(pid, SIGKILL);
    const pid_t victim = random() % 3 == 0 ? test.lane.worker_pid() : -1;
    const bool early = random() % 2 == 0;
    if (victim > 0) kill(victim, early ? SIGKILL : SIGSTOP);
    const bool right = random() % 2 == 0;
    test.lane.submit(ticket, screen(right ? "right" : "wrong"));
    if (victim > 0 && !early) kill(victim, SIGKILL);
    const DeviceReply reply = test.wait_for(ticket);
    CAPTURE(reply.message);
    CHECK(reply.outcome == (right ? Outcome::ok : Outcome::wrong_result));
  }
}

TEST_CASE("a block whose worker was killed from outside is run again") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("right time=50000"), candidate("right time=60000")}}).outcome ==
          Outcome::ok);
  const pid_t worker = test.lane.worker_pid();
  REQUIRE(kill(worker, SIGSTOP) == 0);
  test.lane.submit(1, RunBlock{{1, 0}});
  REQUIRE(kill(worker, SIGKILL) == 0);
  const DeviceReply reply = test.wait_for(1);
  CHECK(reply.outcome == Outcome::ok);
  REQUIRE(reply.result_of<RunBlock>().samples_ns.size() == 2);
  CHECK(reply.result_of<RunBlock>().samples_ns[0] > reply.result_of<RunBlock>().samples_ns[1]);
}

TEST_CASE("a finalist over which two workers end is left to the race, which knows how to ask who it was") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("right"), candidate("dies")}}).outcome == Outcome::ok);
  const DeviceReply reply = test.ask(RunBlock{{0, 1}});
  CHECK(reply.outcome == Outcome::worker_lost);
  CHECK(reply.message == "The device worker exited with status 3.");
  CHECK_FALSE(reply.confirmed);
  CHECK_FALSE(reply.result_of<RunBlock>().culprit.has_value());
  CHECK(test.lane.statistics().losses.size() == 2);
  CHECK(test.ask(RunBlock{{0}}).outcome == Outcome::ok);
}

TEST_CASE("no spare is started while finalists are resident") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("right"), candidate("faults_later")}}).outcome == Outcome::ok);
  DeviceReply reply;
  for (int block = 0; block < 8 && reply.outcome == Outcome::ok; ++block) reply = test.ask(RunBlock{{0, 1}});
  REQUIRE(reply.outcome == Outcome::illegal_access);
  CHECK(test.ask(RunBlock{{0}}).outcome == Outcome::ok);
  CHECK(test.lane.statistics().losses.size() == 1);
  CHECK(test.lane.statistics().spares_started == 0);
  // The dead are gone before the race goes on.
  CHECK(test.lane.worker_pids().size() == 1);
  test.prepare();
  CHECK(test.lane.statistics().spares_started == 2);
}

TEST_CASE("spares that are not ready when the race begins are sent away") {
  TestLane test;
  test.prepare();
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
  wait_for_spares(test);
  const std::vector<pid_t> before = test.lane.worker_pids();
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
  // Whoever is starting now is not in the race; whoever stood by still does.
  REQUIRE(test.ask(LoadFinalists{{candidate("right")}}).outcome == Outcome::ok);
  for (const pid_t pid : test.lane.worker_pids()) CHECK(lives(pid));
  CHECK(test.lane.statistics().spares_ready + 1 == static_cast<int>(test.lane.worker_pids().size()));
}

TEST_CASE("spares that cannot start are not tried for ever, and the worker that lives goes on") {
  CountedProgram program(3);
  TestLane test({.spares = 1, .program = program.program()});
  test.prepare();
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);  // costs two workers
  test.wait_until([&] { return test.lane.statistics().spares_lost >= 3; });
  for (int i = 0; i < 20; ++i) CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  CHECK(test.lane.worker_pids().size() <= 2);
  CHECK(program.starts() <= 3 + 4);
  // Without a worker there is an end, and a clear one.
  test.lane.submit(1, screen("faults"));
  try {
    for (TicketId ticket = 1;; ++ticket) {
      test.wait_for(ticket);
      test.lane.submit(ticket + 1, screen("right"));
    }
  } catch (const Error& error) {
    CHECK(error.code() == Errc::device_lost);
    CHECK(std::string(error.what()).find("exited with status 7; its last output: \"no more\"") != std::string::npos);
  }
}

TEST_CASE("a candidate is not judged by memory that spares and the dead hold") {
  TestLane test({.environment = {"FAKE_DRIVER=crowded=1000000"}});
  PrepareProblem small = problem();
  small.mode = Timing::warm;  // without what a flush takes
  REQUIRE(test.ask(small).outcome == Outcome::ok);
  REQUIRE(test.ask(reference()).outcome == Outcome::ok);
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
  wait_for_spares(test);
  const int started = test.lane.statistics().spares_started;
  ScreenCandidate large = screen("right");
  large.candidate.scratch_lengths = {1000000};
  const DeviceReply reply = test.ask(large);
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
  CHECK(test.lane.worker_pids().size() == 1);
  // Nor do others come back before another problem.
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  CHECK(test.lane.statistics().spares_started == started);
  REQUIRE(test.ask(small).outcome == Outcome::ok);
  CHECK(test.lane.statistics().spares_started == started + 2);
}

TEST_CASE("a problem that needs most of the memory waits for the dead, and has no spares") {
  TestLane test({.environment = {"FAKE_DRIVER=memory=8000000 crowded=1000000"}});
  PrepareProblem request = problem();
  for (BoundArgument& argument : request.arguments)
    if (argument.role != Argument::Role::scalar) argument.length = argument.length * 150;
  request.arguments.back().value = search::Value(kLength * 150);
  REQUIRE(test.ask(request).outcome == Outcome::ok);
  REQUIRE(test.ask(reference()).outcome == Outcome::ok);
  for (int i = 0; i < 3; ++i) {
    const DeviceReply reply = test.ask(screen("faults"));
    INFO(reply.message);
    CHECK(reply.outcome == Outcome::illegal_access);
    CHECK(test.ask(screen("right")).outcome == Outcome::ok);
    CHECK(test.lane.worker_pids().size() == 1);
  }
  CHECK(test.lane.statistics().spares_started == 0);
  for (const WorkerLoss& loss : test.lane.statistics().losses) CHECK_FALSE(loss.preparing);
}

TEST_CASE("whoever asks for the device can be told to stop waiting") {
  const std::atomic<bool> stop{true};
  TestLane test({.environment = {"FAKE_DRIVER=mute"}, .stop = &stop});
  try {
    test.lane.info();
    FAIL("a device was found");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "It was stopped while the driver of GPU 0 was starting.");
  }
}

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/core/task/npy_file.hpp"
#include "tests/engine/device/lane/lane_support.hpp"
#include "tests/support/errors.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/process/worker_program.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace std::chrono_literals;

namespace {

/// Loses a worker, after which two spares get ready.
void lose_and_wait_for_spares(TestLane& test) {
  test.expect(screen("faults"), Outcome::illegal_access);
  test.wait_until([&] { return test.lane.statistics().spares_ready == 2; });
}

/// A worker program that counts its starts and fails from the n-th on.
class CountedProgram {
 public:
  explicit CountedProgram(int good_starts) {
    folder_.write("worker", "#!/bin/sh\nlog=" + shell_word(log().string()) + "\necho start >> \"$log\"\n" +
                                "test $(wc -l < \"$log\") -gt " + std::to_string(good_starts) +
                                " && { echo no more >&2; exit 7; }\n" + "exec " +
                                shell_word(find_worker_program().string()) + " \"$@\"\n");
    std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
  }
  std::filesystem::path program() const { return folder_.path() / "worker"; }
  int starts() const {
    std::ifstream lines(log());
    int count = 0;
    for (std::string line; std::getline(lines, line);) ++count;
    return count;
  }

 private:
  std::filesystem::path log() const { return folder_.path() / "starts"; }
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a session without faults pays for no spare") {
  PreparedLane test;
  test.expect(screen("right"), Outcome::ok);
  CHECK(test.lane.worker_pids().size() == 1);
  CHECK(test.lane.statistics().losses.empty());
  CHECK(test.lane.statistics().spares_started == 0);
}

TEST_CASE("after the first loss spares stand by, and the next loss is taken over by one") {
  PreparedLane test;
  lose_and_wait_for_spares(test);
  const std::vector<pid_t> before = test.lane.worker_pids();
  const pid_t lost = test.lane.worker_pid();
  test.expect(screen("faults"), Outcome::illegal_access);
  CHECK(test.lane.worker_pid() != lost);
  CHECK(std::find(before.begin(), before.end(), test.lane.worker_pid()) != before.end());
  test.expect(screen("right"), Outcome::ok);
  const DeviceLaneStatistics statistics = test.lane.statistics();
  REQUIRE(statistics.losses.size() == 3);
  CHECK_FALSE(statistics.losses[0].spare_ready);
  CHECK(statistics.losses[2].spare_ready);
  for (const WorkerLoss& loss : statistics.losses) {
    CHECK(loss.cause == LossCause::fault);
    CHECK_FALSE(loss.preparing);
    CHECK(loss.recovery_ms.has_value());
  }
}

TEST_CASE("a lane that is told to keep no spares keeps none") {
  PreparedLane test({.spares = 0});
  test.expect(screen("faults"), Outcome::illegal_access);
  test.expect(screen("right"), Outcome::ok);
  CHECK(test.lane.statistics().spares_started == 0);
}

TEST_CASE("a candidate that fails only because of what another did to the worker gets its result") {
  PreparedLane test;
  test.expect(screen("haunts"), Outcome::ok);
  const DeviceReply reply = test.expect(screen("is_haunted time=77000"), Outcome::ok);
  CHECK_FALSE(reply.confirmed);
  REQUIRE(reply.timed_run().samples_ns.size() == 3);
  CHECK(reply.timed_run().samples_ns[0] == doctest::Approx(77000).epsilon(1e-4));
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().innocent == 1);
  CHECK(test.lane.statistics().losses.size() == 1);
}

TEST_CASE("a candidate that fails in a worker of its own is confirmed, and never runs more than twice") {
  PreparedLane test;
  CHECK(test.expect(screen("faults"), Outcome::illegal_access).confirmed);
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().losses.size() == 2);
  // The worker that lives has run nothing but the reference, so what fails there needs no second run.
  CHECK(test.ask(screen("faults")).confirmed);
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().losses.size() == 3);
  // What costs no worker is nobody's business but its own.
  CHECK_FALSE(test.ask(screen("wrong")).confirmed);
}

TEST_CASE("a reference that faults is confirmed by a second worker, whatever the first had run before") {
  TestLane test(problem());
  CHECK(test.expect(reference("faults"), Outcome::illegal_access).confirmed);
  CHECK(test.lane.statistics().losses.size() == 2);
  test.expect(reference(), Outcome::ok);
  CHECK(test.ask(reference("faults")).confirmed);
  CHECK(test.lane.statistics().second_runs == 2);
}

TEST_CASE("a hang costs its timeout once, and then as long as twenty good launches take") {
  PreparedLane test({}, 1500ms);
  ScreenCandidate request = screen("hangs");
  request.best_ns = 100000;
  CHECK(test.expect(request, Outcome::run_timeout, "still running after 1500 ms").confirmed);
  const DeviceLaneStatistics statistics = test.lane.statistics();
  REQUIRE(statistics.losses.size() == 2);
  CHECK(statistics.losses[0].cause == LossCause::hang);
}

TEST_CASE("a hundred faults in a row are a hundred answers") {
  PreparedLane test;
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    CHECK(test.expect(screen("faults"), Outcome::illegal_access).confirmed);
  }
  test.expect(screen("right"), Outcome::ok);
  CHECK(test.lane.statistics().losses.size() == 101);
}

TEST_CASE("workers and spares that are killed at random cost no candidate its result") {
  std::mt19937 random(20);
  PreparedLane test;
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
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("right time=50000"), candidate("right time=60000")}}, Outcome::ok);
  test.submit_and_kill(1, RunBlock{{1, 0}});
  const DeviceReply reply = test.wait_for(1);
  CHECK(reply.outcome == Outcome::ok);
  const std::vector<double> samples_ns = reply.result_of<RunBlock>().samples_ns;
  REQUIRE(samples_ns.size() == 2);
  CHECK(samples_ns[0] > samples_ns[1]);
}

TEST_CASE("a finalist over which two workers end is left to the race, which knows how to ask who it was") {
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("right"), candidate("dies")}}, Outcome::ok);
  const DeviceReply reply = test.expect(RunBlock{{0, 1}}, Outcome::worker_lost);
  CHECK(reply.message == "The device worker exited with status 3.");
  CHECK_FALSE(reply.confirmed);
  CHECK_FALSE(reply.result_of<RunBlock>().culprit.has_value());
  CHECK(test.lane.statistics().losses.size() == 2);
  test.expect(RunBlock{{0}}, Outcome::ok);
}

TEST_CASE("no spare is started while finalists are resident") {
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("right"), candidate("faults_later")}}, Outcome::ok);
  REQUIRE(test.repeat_until_failure({{0, 1}}).outcome == Outcome::illegal_access);
  test.expect(RunBlock{{0}}, Outcome::ok);
  CHECK(test.lane.statistics().losses.size() == 1);
  CHECK(test.lane.statistics().spares_started == 0);
  // The dead are gone before the race goes on.
  CHECK(test.lane.worker_pids().size() == 1);
  test.prepare();
  CHECK(test.lane.statistics().spares_started == 2);
}

TEST_CASE("spares that are not ready when the race begins are sent away") {
  PreparedLane test;
  lose_and_wait_for_spares(test);
  test.expect(screen("faults"), Outcome::illegal_access);
  // Whoever is starting now is not in the race; whoever stood by still does.
  test.expect(LoadFinalists{{candidate("right")}}, Outcome::ok);
  for (const pid_t pid : test.lane.worker_pids()) CHECK(kill(pid, 0) == 0);
  CHECK(test.lane.statistics().spares_ready + 1 == static_cast<int>(test.lane.worker_pids().size()));
}

TEST_CASE("spares that cannot start are not tried for ever, and the worker that lives goes on") {
  CountedProgram program(3);
  PreparedLane test({.spares = 1, .program = program.program()});
  test.expect(screen("faults"), Outcome::illegal_access);  // costs two workers
  test.wait_until([&] { return test.lane.statistics().spares_lost >= 3; });
  for (int i = 0; i < 20; ++i) CHECK(test.ask(screen("right")).outcome == Outcome::ok);
  CHECK(test.lane.worker_pids().size() <= 2);
  CHECK(program.starts() <= 3 + 4);
  // Without a worker there is an end, and a clear one.
  test.lane.submit(1, screen("faults"));
  const std::string message = test::error_of(Errc::device_lost, [&] {
    for (TicketId ticket = 1;; ++ticket) {
      test.wait_for(ticket);
      test.lane.submit(ticket + 1, screen("right"));
    }
  });
  CHECK(message.find("exited with status 7; its last output: \"no more\"") != std::string::npos);
}

TEST_CASE("a candidate is not judged by memory that spares and the dead hold") {
  TestLane test({.environment = {"FAKE_DRIVER=crowded=1000000"}});
  PrepareProblem small = problem();
  small.mode = Timing::warm;  // without what a flush takes
  test.expect(small, Outcome::ok);
  test.expect(reference(), Outcome::ok);
  lose_and_wait_for_spares(test);
  const int started = test.lane.statistics().spares_started;
  ScreenCandidate large = screen("right");
  large.candidate.scratch_lengths = {1000000};
  test.expect(large, Outcome::ok);
  CHECK(test.lane.worker_pids().size() == 1);
  // Nor do others come back before another problem.
  test.expect(screen("right"), Outcome::ok);
  CHECK(test.lane.statistics().spares_started == started);
  test.expect(small, Outcome::ok);
  CHECK(test.lane.statistics().spares_started == started + 2);
}

TEST_CASE("a problem that needs most of the memory waits for the dead, and has no spares") {
  TestLane test({.environment = {"FAKE_DRIVER=memory=8000000 crowded=1000000"}});
  PrepareProblem request = problem();
  for (BoundArgument& argument : request.arguments)
    if (argument.role != Argument::Role::scalar) argument.length = argument.length * 150;
  request.arguments.back().value = search::Value(kLength * 150);
  test.expect(request, Outcome::ok);
  test.expect(reference(), Outcome::ok);
  for (int i = 0; i < 3; ++i) {
    test.expect(screen("faults"), Outcome::illegal_access);
    test.expect(screen("right"), Outcome::ok);
    CHECK(test.lane.worker_pids().size() == 1);
  }
  CHECK(test.lane.statistics().spares_started == 0);
  for (const WorkerLoss& loss : test.lane.statistics().losses) CHECK_FALSE(loss.preparing);
}

TEST_CASE("whoever asks for the device can be told to stop waiting") {
  const std::atomic<bool> stop{true};
  TestLane test({.environment = {"FAKE_DRIVER=mute"}, .stop = &stop});
  CHECK_THROWS_WITH_AS(test.lane.info(), "It was stopped while the driver of GPU 0 was starting.", Error);
}

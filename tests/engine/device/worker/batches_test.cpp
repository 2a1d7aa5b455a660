#include <doctest/doctest.h>

#include "tests/engine/device/worker/worker_support.hpp"

using namespace tuner;
using namespace tuner::engine;

TEST_CASE("a batch is so many launches between two events, and its sample is the time of one") {
  for (const Timing mode : {Timing::cold, Timing::warm}) {
    PrepareProblem request = problem();
    request.mode = mode;
    TestWorker worker;
    worker.prepare(request);
    const DeviceReply loaded =
        worker.ask(LoadFinalists{{candidate("right time=4000"), candidate("right time=6000")}, 10}).reply;
    CHECK(loaded.outcome == Outcome::ok);
    CHECK(loaded.result_of<LoadFinalists>().launches_per_sample == 10);
    worker.ask(RunBlock{{0}, 10});  // the first after an idle moment takes two samples
    const DeviceReply block = worker.ask(RunBlock{{0, 1, 0}, 10}).reply;
    REQUIRE(block.result_of<RunBlock>().samples_ns.size() == 3);
    CHECK(block.result_of<RunBlock>().launches_per_sample == 10);
    CHECK(block.result_of<RunBlock>().samples_ns[0] == doctest::Approx(4000).epsilon(1e-3));
    CHECK(block.result_of<RunBlock>().samples_ns[1] == doctest::Approx(6000).epsilon(1e-3));
    CHECK(block.launches >= 30);
    // Fewer than were provided for, and no more.
    CHECK(worker.ask(RunBlock{{0}, 3}).reply.result_of<RunBlock>().launches_per_sample == 3);
    CHECK(worker.ask(RunBlock{{0}, 11}).reply.result_of<RunBlock>().launches_per_sample == 10);
    CHECK(worker.ask(RunBlock{{0}}).reply.result_of<RunBlock>().launches_per_sample == 1);
  }
}

TEST_CASE("every launch of a batch finds its in/out buffer as it was before the first") {
  for (const Timing mode : {Timing::cold, Timing::warm}) {
    PrepareProblem request = problem();
    request.mode = mode;
    TestWorker worker;
    worker.prepare(request);
    // It faults where 'counts' does not hold what it was filled with.
    REQUIRE(worker.ask(LoadFinalists{{candidate("expects_fresh time=4000")}, 8}).reply.outcome == Outcome::ok);
    for (int block = 0; block < 3; ++block) {
      const WorkerReply reply = worker.ask(RunBlock{{0, 0}, 8});
      INFO(reply.reply.message);
      CHECK(reply.reply.outcome == Outcome::ok);
    }
  }
}

TEST_CASE("with a cold cache no two launches of a batch share a buffer, with a warm one inputs are shared") {
  for (const Timing mode : {Timing::cold, Timing::warm}) {
    PrepareProblem request = problem();
    request.mode = mode;
    TestWorker worker;
    worker.prepare(request);
    REQUIRE(worker.ask(LoadFinalists{{candidate("expects_other_inputs time=4000")}, 4}).reply.outcome == Outcome::ok);
    const WorkerReply reply = worker.ask(RunBlock{{0}, 4});
    CHECK((reply.reply.outcome == Outcome::ok) == (mode == Timing::cold));
  }
}

TEST_CASE("a finalist that is slow and right has its first batch's time, whatever a single launch may take") {
  for (const Timing mode : {Timing::cold, Timing::warm}) {
    PrepareProblem request = problem(std::chrono::milliseconds(100));
    request.mode = mode;
    TestWorker worker;
    worker.prepare(request);
    REQUIRE(worker.ask(LoadFinalists{{candidate("right time=40000000 busy=40")}, 8}).reply.outcome == Outcome::ok);
    const DeviceReply block = worker.ask(RunBlock{{0}, 8}).reply;
    INFO(block.message);
    CHECK(block.outcome == Outcome::ok);
    REQUIRE(block.result_of<RunBlock>().samples_ns.size() == 1);
    CHECK(block.result_of<RunBlock>().samples_ns[0] == doctest::Approx(40e6).epsilon(1e-3));
  }
}

TEST_CASE("the copies that batches need are gone when something else is screened") {
  PrepareProblem request = problem();
  request.mode = Timing::warm;           // without what a flush takes
  request.arguments[2].length = 500000;  // 2 MB, which a copy has
  const auto screen_with_scratch = [](TestWorker& worker, std::uint64_t megabytes) {
    ScreenCandidate large = screen("right");
    large.candidate.scratch_lengths = {megabytes * 250000};
    return worker.ask(large).reply.outcome;
  };
  const std::vector<std::string> environment{"FAKE_DRIVER=room=32000000"};
  std::uint64_t most = 32;
  TestWorker without_race(environment);
  without_race.prepare(request);
  while (most > 0 && screen_with_scratch(without_race, most) != Outcome::ok) --most;
  REQUIRE(most > 8);

  TestWorker worker(environment);
  worker.prepare(request);
  const DeviceReply loaded = worker.ask(LoadFinalists{{candidate("right time=4000")}, 16}).reply;
  REQUIRE(loaded.result_of<LoadFinalists>().launches_per_sample > 1);
  CHECK(worker.ask(RunBlock{{0}, 2}).reply.result_of<RunBlock>().launches_per_sample == 2);
  CHECK(screen_with_scratch(worker, most) == Outcome::ok);
  // What is resident still is, without the copies.
  const DeviceReply block = worker.ask(RunBlock{{0}, 2}).reply;
  CHECK(block.outcome == Outcome::ok);
  CHECK(block.result_of<RunBlock>().launches_per_sample == 1);

  TestWorker other(environment);
  other.prepare(request);
  REQUIRE(other.ask(LoadFinalists{{candidate("right time=4000")}, 2})
              .reply.result_of<LoadFinalists>()
              .launches_per_sample == 2);
  REQUIRE(other.ask(reference()).reply.outcome == Outcome::ok);
  CHECK(other.ask(RunBlock{{0}, 2}).reply.result_of<RunBlock>().launches_per_sample == 1);
}

TEST_CASE("a batch shrinks to the copies that fit into a quarter of free memory") {
  PrepareProblem request = problem();
  request.arguments[3].length = 0;
  TestWorker worker;
  worker.prepare(request);
  Candidate roomy = candidate("right");
  roomy.scratch_lengths = {std::uint64_t{10} << 20};  // 40 of the 1024 MiB
  const DeviceReply loaded = worker.ask(LoadFinalists{{roomy}, 100}).reply;
  CHECK(loaded.outcome == Outcome::ok);
  CHECK(loaded.result_of<LoadFinalists>().launches_per_sample > 2);
  CHECK(loaded.result_of<LoadFinalists>().launches_per_sample < 8);
  CHECK(worker.ask(RunBlock{{0}, 100}).reply.result_of<RunBlock>().launches_per_sample ==
        loaded.result_of<LoadFinalists>().launches_per_sample);
}

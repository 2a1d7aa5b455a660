#include <doctest/doctest.h>

#include <functional>

#include "tests/engine/device/worker/worker_support.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

/// The problem in both modes, each with a worker of its own.
void in_both_modes(const std::function<void(TestWorker&, Timing)>& check, PrepareProblem request = problem()) {
  for (const Timing mode : {Timing::cold, Timing::warm}) {
    CAPTURE(mode == Timing::warm);
    request.mode = mode;
    PreparedWorker worker(request);
    check(worker, mode);
  }
}

int launches_per_sample(TestWorker& worker, const RunBlock& block) {
  return worker.ask(block).result_of<RunBlock>().launches_per_sample;
}

}  // namespace

TEST_CASE("a batch is so many launches between two events, and its sample is the time of one") {
  in_both_modes([](TestWorker& worker, Timing) {
    const DeviceReply loaded =
        worker.expect(LoadFinalists{{candidate("right time=4000"), candidate("right time=6000")}, 10}, Outcome::ok);
    CHECK(loaded.result_of<LoadFinalists>().launches_per_sample == 10);
    worker.ask(RunBlock{{0}, 10});  // the first after an idle moment takes two samples
    const DeviceReply reply = worker.ask(RunBlock{{0, 1, 0}, 10});
    const BlockResult block = reply.result_of<RunBlock>();
    REQUIRE(block.samples_ns.size() == 3);
    CHECK(block.launches_per_sample == 10);
    CHECK(block.samples_ns[0] == doctest::Approx(4000).epsilon(1e-3));
    CHECK(block.samples_ns[1] == doctest::Approx(6000).epsilon(1e-3));
    CHECK(reply.launches >= 30);
    // Fewer than were provided for, and no more.
    CHECK(launches_per_sample(worker, {{0}, 3}) == 3);
    CHECK(launches_per_sample(worker, {{0}, 11}) == 10);
    CHECK(launches_per_sample(worker, {{0}}) == 1);
  });
}

TEST_CASE("every launch of a batch finds its in/out buffer as it was before the first") {
  in_both_modes([](TestWorker& worker, Timing) {
    // It faults where 'counts' does not hold what it was filled with.
    worker.expect(LoadFinalists{{candidate("expects_fresh time=4000")}, 8}, Outcome::ok);
    for (int block = 0; block < 3; ++block) worker.expect(RunBlock{{0, 0}, 8}, Outcome::ok);
  });
}

TEST_CASE("with a cold cache no two launches of a batch share a buffer, with a warm one inputs are shared") {
  in_both_modes([](TestWorker& worker, Timing mode) {
    worker.expect(LoadFinalists{{candidate("expects_other_inputs time=4000")}, 4}, Outcome::ok);
    CHECK((worker.ask(RunBlock{{0}, 4}).outcome == Outcome::ok) == (mode == Timing::cold));
  });
}

TEST_CASE("a finalist that is slow and right has its first batch's time, whatever a single launch may take") {
  const auto check = [](TestWorker& worker, Timing) {
    worker.expect(LoadFinalists{{candidate("right time=40000000 busy=40")}, 8}, Outcome::ok);
    const DeviceReply block = worker.expect(RunBlock{{0}, 8}, Outcome::ok);
    REQUIRE(block.result_of<RunBlock>().samples_ns.size() == 1);
    CHECK(block.result_of<RunBlock>().samples_ns[0] == doctest::Approx(40e6).epsilon(1e-3));
  };
  in_both_modes(check, problem(std::chrono::milliseconds(100)));
}

TEST_CASE("the copies that batches need are gone when something else is screened") {
  PrepareProblem request = problem();
  request.mode = Timing::warm;           // without what a flush takes
  request.arguments[2].length = 500000;  // 2 MB, which a copy has
  const auto screen_with_scratch = [](TestWorker& worker, std::uint64_t megabytes) {
    ScreenCandidate large = screen("right");
    large.candidate.scratch_lengths = {megabytes * 250000};
    return worker.ask(large).outcome;
  };
  const std::vector<std::string> environment{"FAKE_DRIVER=room=32000000"};
  std::uint64_t most = 32;
  PreparedWorker without_race(request, environment);
  while (most > 0 && screen_with_scratch(without_race, most) != Outcome::ok) --most;
  REQUIRE(most > 8);

  PreparedWorker worker(request, environment);
  const DeviceReply loaded = worker.ask(LoadFinalists{{candidate("right time=4000")}, 16});
  REQUIRE(loaded.result_of<LoadFinalists>().launches_per_sample > 1);
  CHECK(launches_per_sample(worker, {{0}, 2}) == 2);
  CHECK(screen_with_scratch(worker, most) == Outcome::ok);
  // What is resident still is, without the copies.
  CHECK(worker.expect(RunBlock{{0}, 2}, Outcome::ok).result_of<RunBlock>().launches_per_sample == 1);

  PreparedWorker other(request, environment);
  REQUIRE(other.ask(LoadFinalists{{candidate("right time=4000")}, 2}).result_of<LoadFinalists>().launches_per_sample ==
          2);
  other.expect(reference(), Outcome::ok);
  CHECK(launches_per_sample(other, {{0}, 2}) == 1);
}

TEST_CASE("a batch shrinks to the copies that fit into a quarter of free memory") {
  PrepareProblem request = problem();
  request.arguments[3].length = 0;
  PreparedWorker worker(request);
  Candidate roomy = candidate("right");
  roomy.scratch_lengths = {std::uint64_t{10} << 20};  // 40 of the 1024 MiB
  const DeviceReply loaded = worker.expect(LoadFinalists{{roomy}, 100}, Outcome::ok);
  const int launches = loaded.result_of<LoadFinalists>().launches_per_sample;
  CHECK(launches > 2);
  CHECK(launches < 8);
  CHECK(launches_per_sample(worker, {{0}, 100}) == launches);
}

#include "tuner/engine/candidates/ready_queue.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

std::vector<std::size_t> drain(ReadyQueue& queue) {
  std::vector<std::size_t> order;
  while (!queue.empty()) order.push_back(queue.pop().index);
  return order;
}

TEST_CASE("without evidence candidates go in the order asked, whichever was compiled first") {
  ReadyQueue queue;
  for (const std::size_t entry : {3, 1, 2}) queue.push({entry}, {});
  CHECK(drain(queue) == std::vector<std::size_t>{1, 2, 3});
}

TEST_CASE("those that do not spill go before those that do, then higher occupancy, then the order asked") {
  ReadyQueue queue;
  queue.push({1}, {.spill_bytes = 16, .occupancy = 1.0});
  queue.push({2}, {.spill_bytes = 0, .occupancy = 0.5});
  queue.push({3}, {.spill_bytes = 0, .occupancy = 0.75});
  queue.push({4}, {.spill_bytes = 0, .occupancy = 0.5});
  queue.push({5}, {.spill_bytes = 8, .occupancy = 0.25});
  CHECK(drain(queue) == std::vector<std::size_t>{3, 2, 4, 1, 5});
}

TEST_CASE("the worst evidence keeps none waiting for more than four that were asked for later") {
  ReadyQueue queue;
  queue.push({0}, {.spill_bytes = 1000});
  std::size_t before = 0;
  for (std::size_t entry = 1; entry < 100; ++entry) {
    queue.push({entry}, {.occupancy = 1.0});
    if (queue.pop() == EntryId{0}) break;
    ++before;
  }
  CHECK(before == 4);
}

TEST_CASE("one can be taken out of its turn") {
  ReadyQueue queue;
  for (const std::size_t entry : {1, 2, 3}) queue.push({entry}, {});
  CHECK(queue.take({2}));
  CHECK_FALSE(queue.take({2}));
  CHECK(drain(queue) == std::vector<std::size_t>{1, 3});
}

TEST_CASE("occupancy is what was recorded, else worked out from registers and launch, else nothing") {
  const DeviceInfo device = known_device("H200");
  cache::ResourceFacts facts;
  Geometry launch;
  launch.block = {256, 1, 1};
  CHECK_FALSE(evidence(facts, launch, true, device).occupancy);
  facts.registers = 33;
  CHECK(evidence(facts, launch, true, device).occupancy == 0.75);
  CHECK_FALSE(evidence(facts, launch, false, device).occupancy);
  facts.occupancy = 0.25;
  facts.spill_store_bytes = 8;
  facts.spill_load_bytes = 16;
  CHECK(evidence(facts, launch, true, device).occupancy == 0.25);
  CHECK(evidence(facts, launch, true, device).spill_bytes == 24);
}

/// BLOCK=32 needs all registers, so that few fit.
const BehaviourOf many_registers = changed([](const std::string& configuration, Behaviour& behaviour) {
  if (configuration.starts_with("BLOCK=32,")) behaviour.registers = 255;
});

TEST_CASE("a session runs those first whose binaries promise more, and tells the strategy in the order asked") {
  Laboratory laboratory(make_task(), many_registers, 11);  // all are compiled before the first is run
  const TuneReport report = laboratory.tune({.strategy = "exhaustive"});
  const std::vector<std::string>& screened = laboratory.device.screened;
  REQUIRE(screened.size() == 11);
  CHECK(screened.front() == kBaseline);
  // Asked for first, run when four that promise more have gone before.
  for (std::size_t i = 1; i < 11; ++i) CHECK(screened[i].starts_with("BLOCK=32,") == (i >= 5 && i < 8));
  CHECK(report.decision.counters.at("timed") == 11);
}

TEST_CASE("whatever their order on the device, a seed asks for the same") {
  const SessionOptions options{.strategy = "model", .budget = {.evaluations = 8}, .seed = 5};
  Laboratory plain(make_task(), ordinary, 1);
  Laboratory reordered(make_task(), many_registers, 1);
  plain.tune(options);
  reordered.tune(options);
  CHECK(plain.compile.submitted == reordered.compile.submitted);
}

}  // namespace
}  // namespace tuner::engine

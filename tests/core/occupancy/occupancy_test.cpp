#include "tuner/core/occupancy/occupancy.hpp"

#include <doctest/doctest.h>

using namespace tuner;

namespace {

const NextStep* step_of(const std::vector<NextStep>& steps, Resource resource) {
  for (const NextStep& step : steps) {
    if (step.resource == resource) return &step;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("how many blocks a multiprocessor holds, and what runs out first") {
  const DeviceInfo h200 = known_device("H200");
  const auto resident = residency(h200, {.registers = 128, .threads = 256});
  REQUIRE(resident);
  CHECK(resident->blocks == 2);
  CHECK(resident->threads == 512);
  CHECK(resident->occupancy == 0.25);
  CHECK(resident->limiter == Resource::registers);
  CHECK(residency(h200, {.registers = 32, .threads = 256})->limiter == Resource::warps);
  CHECK(residency(h200, {.registers = 16, .threads = 32})->limiter == Resource::blocks);
  CHECK(residency(h200, {.registers = 32, .threads = 256, .shared_bytes = 100 * 1024})->blocks == 2);
  CHECK(residency(h200, {.registers = 255, .threads = 1024})->blocks == 0);
  CHECK(residency(h200, {.threads = 1000})->threads == 2000);
  CHECK_FALSE(residency(DeviceInfo{}, {.threads = 256}));
}

TEST_CASE("the needs of a block count static and dynamic shared memory together") {
  const BlockNeeds needs = block_needs(40, 1024, {.block = {32, 4, 2}, .shared_bytes = 2048});
  CHECK(needs.registers == 40);
  CHECK(needs.threads == 256);
  CHECK(needs.shared_bytes == 3072);
}

TEST_CASE("one step further in registers is the most with which another block fits") {
  const DeviceInfo h200 = known_device("H200");
  const auto steps = next_steps(h200, {.registers = 128, .threads = 256});
  const NextStep* const step = step_of(steps, Resource::registers);
  REQUIRE(step != nullptr);
  CHECK(step->from == 128);
  CHECK(step->to == 80);  // 2560 a warp: six in each quarter, three blocks of eight
  CHECK(step->then.blocks == 3);
  CHECK(residency(h200, {.registers = 81, .threads = 256})->blocks == 2);
  CHECK(steps.size() == 1);
}

TEST_CASE("one step further in shared memory is exact to the unit in which it is handed out") {
  const DeviceInfo h200 = known_device("H200");
  const BlockNeeds needs{.registers = 32, .threads = 256, .shared_bytes = 100 * 1024};
  const auto steps = next_steps(h200, needs);
  const NextStep* const step = step_of(steps, Resource::shared);
  REQUIRE(step != nullptr);
  CHECK(step->then.blocks == 3);
  BlockNeeds one_more = needs;
  one_more.shared_bytes = step->to + 1;
  CHECK(residency(h200, one_more)->blocks == 2);
}

TEST_CASE("where slots of blocks are the limit, a larger block fills more of those of warps") {
  const auto steps = next_steps(known_device("H200"), {.registers = 16, .threads = 32});
  const NextStep* const step = step_of(steps, Resource::blocks);
  REQUIRE(step != nullptr);
  CHECK(step->to == 64);
  CHECK(step->then.occupancy == 1.0);
}

TEST_CASE("nothing is further than all warps, and nothing is known without limits") {
  CHECK(next_steps(known_device("H200"), {.registers = 32, .threads = 256}).empty());
  CHECK(next_steps(DeviceInfo{}, {.registers = 32, .threads = 256}).empty());
}

TEST_CASE("a block that does not fit at all is one step from fitting") {
  const auto steps = next_steps(known_device("H200"), {.registers = 255, .threads = 1024});
  const NextStep* const step = step_of(steps, Resource::registers);
  REQUIRE(step != nullptr);
  CHECK(step->to == 64);
  CHECK(step->then.blocks == 1);
}

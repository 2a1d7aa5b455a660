#include "tuner/engine/measure/halving.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tests/engine/measure/noise_model.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Ids = std::vector<EntrantId>;

Block run_block(Halving& halving, const std::function<double(std::size_t)>& sample, bool disturbed = false) {
  Block block{.order = halving.next_block(), .disturbed = disturbed};
  for (const EntrantId entrant : block.order) block.samples_ns.push_back(sample(entrant.index));
  halving.add_block(block);
  return block;
}

int run(Halving& halving, const std::function<double(std::size_t)>& sample) {
  int samples = 0;
  while (!halving.finished()) samples += static_cast<int>(run_block(halving, sample).order.size());
  return samples;
}

TEST_CASE("few entries need no halving") {
  Halving halving(16, {.keep = 16});
  CHECK(halving.finished());
  CHECK(halving.next_block().empty());
  CHECK(halving.survivors().size() == 16);
}

TEST_CASE("the better half stays after each rung, and rungs get longer") {
  SimulatedGpu gpu({.spread = 0.1, .outliers = 0, .drift = 0.02, .throttle = 0}, 3);
  Halving halving(32, {.keep = 8, .first_blocks = 2});
  std::vector<std::size_t> sizes;
  while (!halving.finished()) {
    sizes.push_back(
        run_block(halving, [&](std::size_t i) { return gpu.sample(100 + static_cast<double>(i)); }).order.size());
  }
  CHECK(sizes == std::vector<std::size_t>{32, 32, 16, 16, 16, 16});
  CHECK(halving.survivors().size() == 8);
  CHECK(halving.blocks().size() == 6);
}

TEST_CASE("without noise one rung leaves those that could be the best, and nobody else") {
  Halving halving(40, {.keep = 8});
  const int samples = run(halving, [](std::size_t i) { return 100 + 0.4 * static_cast<double>(i); });
  CHECK(halving.survivors() == Ids{{0}, {1}, {2}});  // up to the tie threshold
  CHECK(samples == 80);
}

TEST_CASE("what all entries of a block share does not matter, nor does a disturbed block") {
  Halving halving(20, {.keep = 10});
  int block = 0;
  while (!halving.finished()) {
    ++block;
    run_block(
        halving,
        [&](std::size_t i) {
          return block * (block == 1 ? 200 - static_cast<double>(i) : 100 + static_cast<double>(i));
        },
        block == 1);
  }
  CHECK(block == 3);
  CHECK(halving.survivors() == Ids{{0}, {1}});
  CHECK(halving.blocks().front().disturbed);
}

TEST_CASE("under much noise the best of 64 is nearly always among the last 16") {
  int kept = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SimulatedGpu gpu({.spread = 0.1}, 100 + trial);
    Halving halving(64, {.keep = 16, .seed = static_cast<std::uint64_t>(trial)});
    run(halving, [&](std::size_t i) { return gpu.sample(5000 * (1 + 0.01 * static_cast<double>(i))); });
    const Ids left = halving.survivors();
    CHECK(left.size() <= 16);
    kept += left.front() == EntrantId{0};
  }
  MESSAGE("the best of 64 that lie 1 % apart was kept in " << kept << " of 200 halvings");
  CHECK(kept >= 190);
}

TEST_CASE("a halving that is ended keeps the best as far as is known") {
  Halving halving(40, {.keep = 4, .first_blocks = 8});
  run_block(halving, [](std::size_t i) { return 140 - static_cast<double>(i); });
  halving.end();
  CHECK(halving.finished());
  CHECK(halving.survivors().size() <= 4);
  CHECK(halving.survivors().back() == EntrantId{39});
  CHECK(halving.next_block().empty());
}

TEST_CASE("withdrawn entries do not survive, and when few are left the halving ends") {
  Halving halving(5, {.keep = 3});
  const Ids block = halving.next_block();
  CHECK(halving.next_block() == block);
  halving.withdraw({1});
  CHECK(halving.next_block().size() == 4);
  halving.withdraw({4});
  CHECK(halving.finished());
  CHECK(halving.survivors() == Ids{{0}, {2}, {3}});
}

TEST_CASE("a halving refuses what makes no sense") {
  CHECK_THROWS_AS(Halving(0, {}), Error);
  CHECK_THROWS_AS(Halving(3, {.keep = 0}), Error);
  Halving halving(20, {.keep = 2});
  CHECK_THROWS_AS(halving.add_block({{{0}, {1}}, {100}}), Error);
  CHECK_THROWS_AS(halving.add_block({{{0}, {1}}, {100, std::nan("")}}), Error);
  halving.end();
  CHECK_THROWS_AS(halving.add_block({{{0}}, {100}}), Error);
}

}  // namespace
}  // namespace tuner::engine

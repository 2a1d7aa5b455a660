#include "tuner/engine/measure/panel.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tuner/engine/measure/verdict.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

Block block(double first, double second, bool disturbed = false) {
  return {.order = {{1}, {0}}, .samples_ns = {second, first}, .disturbed = disturbed};
}

TEST_CASE("a panel's ratio is that of pairs, whatever drifts for both") {
  Panel panel(2, 1);
  CHECK(panel.ratio({0}, {1}).low == 0);
  for (int i = 0; i < 20; ++i) panel.add_block(block(100 + 10 * i, 2 * (100 + 10 * i) * (1 + 0.001 * (i % 3))));
  const Ratio ratio = panel.ratio({1}, {0});
  CHECK(ratio.ratio == doctest::Approx(2.002).epsilon(0.001));
  CHECK(ratio.high - ratio.low < 0.01);
  CHECK(panel.blocks() == 20);
  CHECK(panel.median_ns({0}) == doctest::Approx(195));
}

TEST_CASE("disturbed blocks count only while there are too few others") {
  Panel panel(2, 1);
  for (int i = 0; i < 4; ++i) panel.add_block(block(100, 300, true));
  CHECK(panel.is_noisy());
  CHECK(panel.ratio({1}, {0}).ratio == doctest::Approx(3));
  for (std::size_t i = 0; i < Panel::kLeastBlocks; ++i) panel.add_block(block(100, 200));
  CHECK_FALSE(panel.is_noisy());
  CHECK(panel.ratio({1}, {0}).ratio == doctest::Approx(2));
  CHECK(panel.blocks() == Panel::kLeastBlocks);
}

TEST_CASE("a panel runs all of them in each block, in an order that changes") {
  Panel panel(3, 7);
  std::set<std::size_t> first;
  for (int i = 0; i < 30; ++i) {
    const auto order = panel.next_block();
    REQUIRE(order.size() == 3);
    first.insert(order[0].index);
  }
  CHECK(first.size() == 3);
  CHECK_THROWS_AS(panel.add_block(block(1, 2)), Error);
}

TEST_CASE("a verdict is that of the whole interval, and exchanging the two turns it around") {
  CHECK(verdict({0.98, 0.97, 0.985}, 0.01) == Verdict::faster);
  CHECK(verdict({1.02, 1.015, 1.03}, 0.01) == Verdict::slower);
  CHECK(verdict({1.001, 0.995, 1.007}, 0.01) == Verdict::same);
  CHECK(verdict({1.008, 0.999, 1.017}, 0.01) == Verdict::undecided);
  for (const Ratio& ratio : {Ratio{0.98, 0.97, 0.985}, Ratio{1.02, 1.015, 1.03}, Ratio{1.001, 0.995, 1.007}}) {
    const Ratio turned{1 / ratio.ratio, 1 / ratio.high, 1 / ratio.low};
    const Verdict here = verdict(ratio, 0.01), there = verdict(turned, 0.01);
    CHECK((here == Verdict::faster) == (there == Verdict::slower));
    CHECK((here == Verdict::same) == (there == Verdict::same));
  }
}

}  // namespace
}  // namespace tuner::engine

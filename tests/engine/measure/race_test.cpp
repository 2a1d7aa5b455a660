#include "tuner/engine/measure/race.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Order = std::vector<EntrantId>;
// Time of an entry in the n-th block run, kept or not.
using Timing = std::function<double(std::size_t entry, int block)>;

// A block in the race's order, with the times of `timing`.
void run_block(Race& race, int block, const Timing& timing) {
  const Order order = race.next_block();
  std::vector<double> samples;
  for (const EntrantId entrant : order) samples.push_back(timing(entrant.index, block));
  race.add_block(order, samples);
}

// Runs to the end; how many blocks that took.
int run(Race& race, const Timing& timing) {
  int block = 0;
  for (; !race.finished(); ++block) run_block(race, block, timing);
  return block;
}

RaceResult finish(Race& race, const Timing& timing) {
  run(race, timing);
  return race.result();
}

// Plain repeatable wobble of about +-1 % that differs between entries.
double wobble(std::size_t entry, int block) {
  return 1 + 0.01 * std::sin(12.9898 * static_cast<double>(entry + 1) + 78.233 * block);
}

TEST_CASE("a single entry is measured for the fewest blocks and leads alone") {
  Race race(1, {.min_blocks = 8}, EntrantId{0});
  CHECK(run(race, [](std::size_t, int block) { return 100.0 + block; }) == 8);
  const RaceResult result = race.result();
  CHECK(result.decided);
  CHECK(result.leader == EntrantId{0});
  CHECK(result.standings[{0}].tied);
  CHECK(result.standings[{0}].median_ns == 103.5);
  CHECK(race.speedup({0})->ratio == 1);
  CHECK(race.next_block().empty());
}

TEST_CASE("of two entries the faster leads and the slower is eliminated") {
  Race race(2, {.min_blocks = 8}, std::nullopt);
  const RaceResult result =
      finish(race, [](std::size_t entry, int block) { return (entry == 0 ? 120 : 100) * wobble(entry, block); });
  CHECK(result.decided);
  CHECK(result.leader == EntrantId{1});
  CHECK(result.standings[{0}].eliminated);
  CHECK_FALSE(result.standings[{0}].tied);
  CHECK(result.standings[{0}].relative_time == doctest::Approx(1.2).epsilon(0.02));
  CHECK(result.standings[{0}].low > 1.01);
  CHECK(result.standings[{1}].tied);
  CHECK(result.standings[{1}].relative_time == 1);
  CHECK_FALSE(race.speedup({1}));
}

TEST_CASE("identical samples without any spread are a tie, decided at the first look") {
  Race race(3, {.min_blocks = 8}, EntrantId{0});
  CHECK(run(race, [](std::size_t, int) { return 100.0; }) == 8);
  const RaceResult result = race.result();
  CHECK(result.decided);
  CHECK(result.leader == EntrantId{0});
  for (const Standing& standing : result.standings) {
    CHECK(standing.tied);
    CHECK(standing.low == 1);
    CHECK(standing.high == 1);
  }
  CHECK(race.speedup({2})->low == 1);
}

TEST_CASE("constant samples further apart than the tie threshold are no tie, closer ones are") {
  Race race(3, {.min_blocks = 8}, std::nullopt);
  const RaceResult result = finish(race, [](std::size_t entry, int) {
    return entry == 0 ? 100.0 : entry == 1 ? 100.9 : 101.1;
  });
  CHECK(result.standings[{1}].tied);
  CHECK(result.standings[{2}].eliminated);
}

TEST_CASE("what all entries of a block share does not matter") {
  Race race(2, {.min_blocks = 8}, std::nullopt);
  const int blocks = run(race, [](std::size_t entry, int block) {
    return (entry == 0 ? 100 : 103) * (1 + 0.5 * (block % 7)) * (1 + 0.1 * (wobble(entry, block) - 1));
  });
  CHECK(blocks == 8);
  CHECK(race.result().leader == EntrantId{0});
  CHECK(race.result().standings[{1}].eliminated);
}

TEST_CASE("outliers of one entry do not cost it the lead") {
  Race race(2, {.min_blocks = 8}, std::nullopt);
  run(race, [](std::size_t entry, int block) {
    const bool outlier = entry == 0 && block % 11 == 3;
    return (entry == 0 ? 100 : 103) * wobble(entry, block) * (outlier ? 3 : 1);
  });
  CHECK(race.result().decided);
  CHECK(race.result().leader == EntrantId{0});
  CHECK(race.result().standings[{1}].eliminated);
}

TEST_CASE("eliminated entries are left out of later blocks") {
  Race race(3, {.min_blocks = 8, .max_blocks = 60}, std::nullopt);
  for (int block = 0; block < 8; ++block) {
    CHECK(race.next_block().size() == 3);
    // Entries 0 and 1 wobble too much to be told apart at once; entry 2 is far behind.
    run_block(race, block, [](std::size_t entry, int b) {
      return entry == 2 ? 200.0 : 100 + (b % 2 == static_cast<int>(entry) ? 4.0 : 0.0);
    });
  }
  Order next = race.next_block();
  std::sort(next.begin(), next.end());
  CHECK(next == Order{{0}, {1}});
}

TEST_CASE("the lead changes when the first leader slows down") {
  Race race(2, {.min_blocks = 8, .max_blocks = 200}, std::nullopt);
  const Timing timing = [](std::size_t entry, int block) {
    const double time = entry == 0 ? (block < 10 ? 98.5 : 104) : 100;
    return time * wobble(entry, block);
  };
  for (int block = 0; block < 8; ++block) run_block(race, block, timing);
  CHECK(race.result().leader == EntrantId{0});
  for (int block = 8; !race.finished(); ++block) run_block(race, block, timing);
  CHECK(race.result().leader == EntrantId{1});
}

TEST_CASE("an eliminated entry comes back when the leader that eliminated it slows down") {
  Race race(3, {.min_blocks = 8, .max_blocks = 100}, std::nullopt);
  // Entry 2 keeps the race open. Entry 1 is 5 % behind entry 0, until entry 0 becomes as slow as all others.
  const Timing timing = [](std::size_t entry, int block) {
    if (entry == 2) return 100.0 + (block % 2 == 0 ? 6 : 0);
    if (entry == 1) return 105.0 + 0.2 * (block % 3);
    return (block < 8 ? 100.0 : 120.0) + 0.2 * (block % 2);
  };
  for (int block = 0; block < 8; ++block) run_block(race, block, timing);
  CHECK(race.result().standings[{1}].eliminated);
  CHECK(race.next_block().size() == 2);
  bool came_back = false;
  for (int block = 8; !race.finished(); ++block) {
    const Order order = race.next_block();
    came_back = came_back || std::find(order.begin(), order.end(), EntrantId{1}) != order.end();
    run_block(race, block, timing);
  }
  CHECK(came_back);
}

TEST_CASE("a slower baseline stays until its speed-up is known to one percent") {
  Race race(2, {.min_blocks = 8}, EntrantId{1});
  run(race,
      [](std::size_t entry, int block) { return (entry == 1 ? 130 : 100) * (1 + 2 * (wobble(entry, block) - 1)); });
  const Speedup speedup = *race.speedup({0});
  CHECK(race.result().decided);
  CHECK(race.result().blocks > 8);
  CHECK(speedup.ratio == doctest::Approx(1.3).epsilon(0.01));
  CHECK(speedup.high / speedup.ratio <= 1.0101);
  CHECK(speedup.low < speedup.ratio);
  CHECK(race.speedup({1})->ratio == 1);
}

TEST_CASE("a baseline many times slower is sampled for the fewest blocks only") {
  Race race(3, {.min_blocks = 8, .max_blocks = 40}, EntrantId{2});
  int baseline_samples = 0;
  run(race, [&baseline_samples](std::size_t entry, int block) {
    if (entry == 2) ++baseline_samples;
    return entry == 2 ? 1000.0 * (1 + 8 * (wobble(entry, block) - 1))
                      : 100 + (block % 2 == static_cast<int>(entry) ? 6.0 : 0.0);
  });
  CHECK(baseline_samples == 8);
  CHECK(race.result().blocks > 8);
  CHECK(race.speedup({0})->low > 5);
}

TEST_CASE("disturbed blocks are counted, not used, and make the result noisy above thirty percent") {
  Race race(2, {.min_blocks = 8}, std::nullopt);
  const Order order{{0}, {1}};
  const std::vector<double> good{100, 110};
  const std::vector<double> misleading{200, 100};
  for (int i = 0; i < 4; ++i) race.add_block(order, misleading, true);
  CHECK(race.result().noisy);
  while (!race.finished()) race.add_block(order, good);
  const RaceResult result = race.result();
  CHECK(result.leader == EntrantId{0});
  CHECK(result.blocks == 8);
  CHECK(result.dropped_blocks == 4);
  CHECK(result.noisy);
  CHECK(result.standings[{0}].samples_ns == std::vector<double>(8, 100));
}

TEST_CASE("a race of disturbed blocks ends with its budget and uses them, for want of others") {
  Race race(2, {.min_blocks = 8, .max_blocks = 20}, EntrantId{0});
  const Order order{{0}, {1}};
  while (!race.finished()) race.add_block(order, std::vector<double>{110, 100}, true);
  const RaceResult result = race.result();
  CHECK_FALSE(result.decided);
  CHECK(result.noisy);
  CHECK(result.blocks == 20);
  CHECK(result.dropped_blocks == 0);
  CHECK(result.leader == EntrantId{1});
  CHECK(result.standings[{1}].median_ns == 100);
  CHECK(result.standings[{0}].eliminated);
  CHECK(race.speedup({1})->ratio == doctest::Approx(1.1));
}

TEST_CASE("disturbed samples stand in only while too few are clean") {
  Race race(2, {.min_blocks = 8, .max_blocks = 40}, std::nullopt);
  const Order order{{0}, {1}};
  const std::vector<double> good{100, 110};
  const std::vector<double> misleading{200, 100};
  for (int i = 0; i < 9; ++i) race.add_block(order, misleading, true);
  for (int i = 0; i < 7; ++i) race.add_block(order, good);
  CHECK(race.result().blocks == 16);
  CHECK(race.result().noisy);
  CHECK_FALSE(race.finished());
  race.add_block(order, good);
  CHECK(race.finished());
  CHECK(race.result().blocks == 8);
  CHECK(race.result().dropped_blocks == 9);
  CHECK(race.result().leader == EntrantId{0});
}

TEST_CASE("nobody without a sample leads while somebody has one") {
  Race race(3, {.min_blocks = 8}, std::nullopt);
  race.add_block(Order{{2}}, std::vector<double>{100});
  CHECK(race.result().leader == EntrantId{2});
  CHECK(race.result().standings[{2}].median_ns == 100);
}

TEST_CASE("samples of disturbed blocks are used when the clean ones were all of withdrawn entries") {
  Race race(2, {.min_blocks = 2, .max_blocks = 9}, std::nullopt);
  race.add_block(Order{{0}, {1}}, std::vector<double>{100, 120}, true);
  race.add_block(Order{{0}}, std::vector<double>{100});
  race.add_block(Order{{0}}, std::vector<double>{100});
  race.withdraw({0});
  CHECK(race.result().leader == EntrantId{1});
  CHECK(race.result().standings[{1}].median_ns == 120);
  CHECK(race.result().noisy);
}

TEST_CASE("withdrawing the winner of a decided race makes the fastest of the others lead, not the first") {
  Race race(4, {.min_blocks = 8}, EntrantId{3});
  const double times[] = {120, 110, 100, 300};
  const Timing timing = [&times](std::size_t entry, int block) {
    return times[entry] * (1 + 0.1 * (wobble(entry, block) - 1));
  };
  run(race, timing);
  REQUIRE(race.result().decided);
  REQUIRE(race.result().leader == EntrantId{2});
  race.withdraw({2});
  const RaceResult result = finish(race, timing);
  CHECK(result.decided);
  CHECK(result.leader == EntrantId{1});
  CHECK(result.standings[{1}].tied);
  for (const std::size_t other : {0U, 2U, 3U}) CHECK_FALSE(result.standings[{other}].tied);
}

TEST_CASE("a decided race goes on when its winner is withdrawn and the others cannot be told apart yet") {
  Race race(3, {.min_blocks = 8, .max_blocks = 60}, std::nullopt);
  const Timing timing = [](std::size_t entry, int block) {
    return entry == 0 ? 80.0 : entry == 1 ? 100.0 + 8 * (block % 2) : 100.5 + 8 * ((block / 2) % 2);
  };
  run(race, timing);
  REQUIRE(race.result().decided);
  REQUIRE(race.result().leader == EntrantId{0});
  race.withdraw({0});
  CHECK_FALSE(race.finished());
  CHECK(race.next_block().size() == 2);
  CHECK_FALSE(race.result().decided);
  const int blocks = race.result().blocks;
  run(race, timing);
  CHECK(race.result().blocks > blocks);
  CHECK(race.result().standings[{0}].withdrawn);
}

TEST_CASE("a race that ended with its budget goes on for two looks when its leader is withdrawn, then ends again") {
  Race race(3, {.min_blocks = 8, .max_blocks = 30}, std::nullopt);
  const Timing timing = [](std::size_t entry, int block) {
    return entry == 2 ? 95.0 + 20 * (block % 2) : entry == 1 ? 110.0 - 30 * (block % 2) : 98.0 - 10 * (block % 3);
  };
  REQUIRE(run(race, timing) == 30);
  const EntrantId leader = race.result().leader;
  REQUIRE(leader != EntrantId{2});
  race.withdraw(leader);
  CHECK_FALSE(race.finished());
  CHECK(run(race, timing) == 8);
  CHECK_FALSE(race.result().decided);
  CHECK(race.result().leader == EntrantId{1 - leader.index});
}

TEST_CASE("when those that raced fail after the end, those that rested race the slow baseline, and one of them leads") {
  constexpr std::size_t kBaseline = 5;
  const Timing timing = [](std::size_t entry, int block) {
    return (entry == kBaseline ? 200 : 100 + 3 * static_cast<double>(entry)) * wobble(entry, block);
  };
  Race race(6, {.max_blocks = 12}, EntrantId{kBaseline});
  std::vector<Block> before;  // the baseline shares no block with those that will rest
  for (int block = 0; block < 2; ++block) {
    before.push_back({{{0}, {1}, {2}, {3}, {4}}, {}});
    for (const EntrantId entrant : before.back().order)
      before.back().samples_ns.push_back(timing(entrant.index, block));
  }
  for (const std::size_t rested : {2, 3, 4}) race.rest({rested});
  race.carry(before);
  for (int block = 2; block < 6; ++block) run_block(race, block, timing);
  race.end();
  for (const std::size_t failed : {0, 1}) {
    race.withdraw({failed});
    CHECK_FALSE(race.finished());
    CHECK(race.result().leader != EntrantId{kBaseline});
  }
  CHECK(race.next_block().size() == 4);
  run(race, timing);
  CHECK(race.result().leader == EntrantId{2});
  CHECK(race.result().standings[{kBaseline}].eliminated);
  CHECK(race.result().standings[{2}].blocks >= 6);
}

TEST_CASE("a race that cannot tell ends with its budget, undecided") {
  Race race(2, {.min_blocks = 8, .max_blocks = 30}, std::nullopt);
  const int blocks =
      run(race, [](std::size_t entry, int block) { return block % 2 == static_cast<int>(entry) ? 150.0 : 100.0; });
  CHECK(blocks == 30);
  CHECK_FALSE(race.result().decided);
  CHECK(race.result().standings[{0}].tied);
  CHECK(race.result().standings[{1}].tied);
}

TEST_CASE("a withdrawn entry neither leads nor ties nor runs again") {
  Race race(3, {.min_blocks = 8}, std::nullopt);
  const Timing timing = [](std::size_t entry, int) { return 90.0 + 10 * static_cast<double>(entry); };
  for (int block = 0; block < 3; ++block) run_block(race, block, timing);
  CHECK(race.result().leader == EntrantId{0});
  Order order = race.next_block();
  race.withdraw({0});
  CHECK(race.next_block().size() == 2);
  std::erase(order, EntrantId{0});
  CHECK(race.next_block() == order);
  const RaceResult result = finish(race, timing);
  CHECK(result.leader == EntrantId{1});
  CHECK(result.standings[{0}].withdrawn);
  CHECK_FALSE(result.standings[{0}].tied);
  CHECK_FALSE(result.standings[{0}].eliminated);
  CHECK(result.standings[{0}].blocks == 3);
  CHECK(result.standings[{2}].eliminated);
}

TEST_CASE("withdrawing the leader late brings back whom it had eliminated") {
  Race race(3, {.min_blocks = 8, .max_blocks = 100}, std::nullopt);
  const Timing timing = [](std::size_t entry, int block) {
    return entry == 0 ? 80.0 : entry == 1 ? 100.0 + block % 2 : 100.5 + (block / 2) % 2;
  };
  for (int block = 0; block < 7; ++block) run_block(race, block, timing);
  run_block(race, 7, timing);
  CHECK(race.finished());  // entry 0 beats both
  Race again(3, {.min_blocks = 8, .max_blocks = 100, .baseline_precision = 1e-9, .far_baseline = 100}, EntrantId{1});
  for (int block = 0; block < 8; ++block) run_block(again, block, timing);
  CHECK(again.next_block().size() == 2);  // the leader, and the baseline for its precision
  again.withdraw({0});
  CHECK(again.next_block().size() == 2);  // the two that are left
  CHECK(again.result().standings[{2}].tied);
}

TEST_CASE("withdrawing every entry ends the race with nobody tied") {
  Race race(2, {.min_blocks = 8}, std::nullopt);
  race.withdraw({0});
  CHECK_FALSE(race.finished());
  race.withdraw({1});
  CHECK(race.finished());
  CHECK(race.next_block().empty());
  CHECK_FALSE(race.result().decided);
  CHECK_FALSE(race.result().standings[{0}].tied);
  CHECK_FALSE(race.result().standings[{1}].tied);
}

TEST_CASE("entries can be compared with any other, the winner of a tie with the leader for instance") {
  Race race(3, {.min_blocks = 8}, EntrantId{0});
  run(race, [](std::size_t entry, int) { return 100.0 + 20 * static_cast<double>(entry); });
  CHECK(race.compare({2}, {1})->ratio == doctest::Approx(140.0 / 120));
  CHECK(race.compare({1}, {2})->ratio == doctest::Approx(120.0 / 140));
  CHECK(race.compare({1}, {1})->ratio == 1);
  CHECK(race.speedup({2})->ratio == doctest::Approx(100.0 / 140));
}

TEST_CASE("orders within blocks are random, repeatable by seed and the same until a block is added") {
  const auto orders = [](std::uint64_t seed) {
    Race seeded(6, {.min_blocks = 8, .max_blocks = 40, .seed = seed}, std::nullopt);
    std::vector<Order> result;
    for (int block = 0; block < 7; ++block) {
      result.push_back(seeded.next_block());
      CHECK(seeded.next_block() == result.back());
      seeded.add_block(result.back(), std::vector<double>(6, 100));
    }
    return result;
  };
  CHECK(orders(1) == orders(1));
  CHECK(orders(1) != orders(2));
  const std::vector<Order> seven = orders(3);
  CHECK(std::set<Order>(seven.begin(), seven.end()).size() > 5);
}

TEST_CASE("every entry is about equally often first in its block") {
  Race race(4, {.min_blocks = 4000, .max_blocks = 4000}, std::nullopt);
  std::vector<int> first(4, 0);
  for (int block = 0; block < 3999; ++block) {
    const Order order = race.next_block();
    ++first[order.front().index];
    race.add_block(order, std::vector<double>(4, 100));
  }
  for (const int count : first) CHECK(std::abs(count - 1000) < 120);  // four standard deviations
}

TEST_CASE("a race refuses blocks that make no sense") {
  Race race(2, {.min_blocks = 8}, std::nullopt);
  const Order both{{0}, {1}};
  CHECK_THROWS_AS(race.add_block(both, std::vector<double>{100}), Error);
  CHECK_THROWS_AS(race.add_block(both, std::vector<double>{100, 0}), Error);
  CHECK_THROWS_AS(race.add_block(both, std::vector<double>{100, std::nan("")}), Error);
  CHECK_THROWS_AS(race.add_block(Order{{0}, {0}}, std::vector<double>{100, 100}), Error);
  CHECK_THROWS_AS(race.add_block(Order{{0}, {2}}, std::vector<double>{100, 100}), Error);
  CHECK_THROWS_AS(race.withdraw({2}), Error);
  CHECK(race.result().blocks == 0);
  run(race, [](std::size_t, int) { return 100.0; });
  CHECK_THROWS_AS(race.add_block(both, std::vector<double>{100, 100}), Error);
}

TEST_CASE("a race refuses entries and options that make no sense") {
  CHECK_THROWS_AS(Race(0, {}, std::nullopt), Error);
  CHECK_THROWS_AS(Race(2, {}, EntrantId{2}), Error);
  CHECK_THROWS_AS(Race(2, {.tie_threshold = 0}, EntrantId{0}), Error);
  CHECK_THROWS_AS(Race(2, {.min_blocks = 1}, EntrantId{0}), Error);
  CHECK_THROWS_AS(Race(2, {.min_blocks = 8, .max_blocks = 7}, EntrantId{0}), Error);
  CHECK_THROWS_AS(Race(2, {.check_every = 0}, EntrantId{0}), Error);
  CHECK_THROWS_AS(Race(2, {.z = std::nan("")}, EntrantId{0}), Error);
}

TEST_CASE("the nominal confidence of the intervals follows from their width") {
  CHECK(Race(1, {.z = 3}, EntrantId{0}).result().confidence == doctest::Approx(0.9973).epsilon(1e-4));
}

}  // namespace
}  // namespace tuner::engine

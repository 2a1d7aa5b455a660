#include <doctest/doctest.h>

#include "tests/explain/facts_support.hpp"

using namespace tuner;
using namespace tuner::explain;
using namespace tuner::explain::testing;

using Causes = std::vector<std::string_view>;

namespace {

/// As many instructions, and the baseline waits longer for memory.
Pair latency_bound() {
  Pair pair(1);
  pair.spend(pair.slower, counter::kLongScoreboard, 60);
  pair.spend(pair.faster, counter::kLongScoreboard, 10);
  return pair;
}

/// The baseline has room for a quarter of the warps, each of which waits as long as one of the winner's.
Pair few_warps() {
  Pair pair(1);
  pair.slower.resources.registers = 128;
  count(pair.slower, counter::kOccupancy, 25);
  return pair;
}

}  // namespace

TEST_CASE("too few bytes under way are the cause where warps wait for memory and as much is read") {
  Pair pair = latency_bound();
  pair.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"bytes_under_way"});
  CHECK(findings[0].sentence ==
        "long-scoreboard stalls fell from 60 to 10 cycles an instruction: the winner keeps 32 KB under way in every "
        "multiprocessor, the baseline 8 KB");
  CHECK(findings[0].strength > 0.9);
}

TEST_CASE("a small grid keeps less under way than would fit") {
  Pair pair = latency_bound();
  pair.slower.geometry.grid[0] = 132;
  pair.settle();
  CHECK(pair.slower.bytes_under_way == 4.0 * 256);
}

TEST_CASE("fewer threads than fit are too few bytes under way where memory is awaited, else a small grid") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kLongScoreboard, 20);
  pair.spend(pair.faster, counter::kLongScoreboard, 20);
  pair.slower.geometry.grid[0] = 132;
  count(pair.slower, counter::kOccupancy, 12.5);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"bytes_under_way", "small_grid"});
  CHECK(findings[0].sentence == "the winner keeps 8 KB under way in every multiprocessor, the baseline 1 KB");
  CHECK(findings[1].sentence ==
        "active warps rose from 12.5 to 100 %, instructions issued in a cycle of a scheduler from 0.05 to 0.4: the "
        "baseline launches 256 threads for each multiprocessor, the winner 194 thousand");
  for (ConfigurationFacts* const facts : {&pair.slower, &pair.faster}) {
    count(*facts, counter::kLongScoreboard, 0);
    count(*facts, counter::kWait, 20);
  }
  CHECK(causes(pair.explained()) == Causes{"small_grid"});
}

TEST_CASE("bytes under way are no cause where warps wait for something else, or DRAM is at its limit") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kBarrier, 60);
  pair.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  CHECK(find(pair.explained(), "bytes_under_way") == nullptr);
  Pair limited = latency_bound();
  limited.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  count(limited.slower, counter::kDramThroughput, 92);
  CHECK(find(limited.explained(), "bytes_under_way") == nullptr);
}

TEST_CASE("where much more is read, waiting for it is not for lack of bytes under way") {
  Pair pair = latency_bound();
  pair.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  count(pair.slower, counter::kGlobalLoadSectors, 3.2e8);
  CHECK(causes(pair.explained()) == Causes{"uncoalesced_access"});
}

TEST_CASE("where more comes from a cache that is nearer, waiting less is not for more bytes under way") {
  Pair from_l2 = latency_bound();
  from_l2.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  count(from_l2.slower, counter::kDramRead, 1.2e9);
  count(from_l2.faster, counter::kDramRead, 1.1e9);
  CHECK(causes(from_l2.explained()) == Causes{"bytes_under_way"});
  count(from_l2.faster, counter::kDramRead, 1e8);
  CHECK(find(from_l2.explained(), "bytes_under_way") == nullptr);
  Pair from_l1 = latency_bound();
  from_l1.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  count(from_l1.slower, counter::kL1HitRate, 5);
  count(from_l1.faster, counter::kL1HitRate, 80);
  CHECK(find(from_l1.explained(), "bytes_under_way") == nullptr);
}

TEST_CASE("where what is loaded would have come long ago, waiting for memory is not for lack of bytes under way") {
  Pair pair = latency_bound();
  pair.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  count_both(pair, counter::kGlobalLoadRequests, 1.25e5, 1.25e5);
  count_both(pair, counter::kGlobalLoadSectors, 5e5, 5e5);
  CHECK(find(pair.explained(), "bytes_under_way") == nullptr);
  count_both(pair, counter::kDramRead, 1e9, 1e9);
  CHECK(causes(pair.explained()) == Causes{"bytes_under_way"});
  count_both(pair, counter::kDramRead, 1e6, 1e6);
  pair.slower.code->loads.to_shared = {0, 0, 0, 1};  // copies are not counted
  CHECK(causes(pair.explained()) == Causes{"bytes_under_way"});
}

TEST_CASE("where all threads of a warp load one word, what is under way is compared with what they ask for") {
  Pair pair = latency_bound();
  pair.slower.code->loads.to_registers = pair.faster.code->loads.to_registers = {0, 0, 0, 1};
  pair.slower.code->under_way = {.loads = 1, .bytes = 16};
  pair.faster.code->under_way = {.loads = 4, .bytes = 64};
  count_both(pair, counter::kGlobalLoadRequests, 2e6, 2e6);
  count_both(pair, counter::kGlobalLoadSectors, 2e6, 2e6);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"bytes_under_way"});
  CHECK(findings[0].strength > 0.9);
}

TEST_CASE("occupancy is the cause where more warps issue more, and what limits it is named") {
  Pair pair = few_warps();
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"occupancy_registers"});
  CHECK(findings[0].sentence ==
        "active warps rose from 25 to 100 %, instructions issued in a cycle of a scheduler from 0.2 to 0.8: in the "
        "baseline 128 registers a thread leave room for 2 blocks of 256 threads; in the winner all its warps are "
        "resident: 8 blocks of 256 threads");
  pair.slower.resources.registers = 32;
  pair.slower.geometry.shared_bytes = 100 * 1024;
  const std::vector<Finding> shared = pair.explained();
  CHECK(causes(shared) == Causes{"occupancy_shared"});
  CHECK(shared[0].sentence.find("in the baseline 100 KB of shared memory a block leave room for 2 blocks") !=
        std::string::npos);
  pair.slower.geometry.shared_bytes = 0;
  pair.slower.geometry.block[0] = 32;
  CHECK(causes(pair.explained()) == Causes{"occupancy_blocks"});
}

TEST_CASE("occupancy is no cause where each of more warps waits longer") {
  Pair pair(1.2);
  pair.slower.resources.registers = 128;
  count(pair.slower, counter::kOccupancy, 25);
  count(pair.slower, counter::kWarpLatency, 5 * 1.02);
  count(pair.slower, counter::kInstructions, 1.2e8);
  const std::vector<Finding> findings = pair.explained();
  CHECK(find(findings, "occupancy_registers") == nullptr);
}

TEST_CASE("four times as many warps that bring a few percent are not what was missing") {
  Pair pair = few_warps();
  count(pair.faster, counter::kWarpLatency, 20 * 3.7);
  CHECK(find(pair.explained(), "occupancy_registers") == nullptr);
}

TEST_CASE("occupancy is no cause where eligible warps do not rise, or none more are active") {
  Pair pair = few_warps();
  count(pair.slower, counter::kWarpsEligible, 1);
  count(pair.faster, counter::kWarpsEligible, 1);
  CHECK(find(pair.explained(), "occupancy_registers") == nullptr);
  Pair small = few_warps();
  count(small.slower, counter::kOccupancy, 12);
  count(small.faster, counter::kOccupancy, 12);
  small.spend(small.slower, counter::kBarrier, 20);
  CHECK(find(small.explained(), "occupancy_registers") == nullptr);
}

TEST_CASE("occupancy is no cause where DRAM delivers all it can, or less of it is needed") {
  Pair pair = few_warps();
  count(pair.slower, counter::kDramThroughput, 90);
  CHECK(find(pair.explained(), "occupancy_registers") == nullptr);
  count(pair.slower, counter::kDramThroughput, 75);
  count(pair.slower, counter::kDramRead, 4e9);
  count(pair.faster, counter::kDramRead, 1e9);
  CHECK(causes(pair.explained()) == Causes{"dram_traffic"});
}

TEST_CASE("what something special accounts for is not counted for occupancy again") {
  Pair pair = few_warps();
  pair.spend(pair.slower, counter::kMioThrottle, 20);
  count(pair.slower, counter::kSharedLoadConflicts, 1e9);
  count(pair.faster, counter::kSharedLoadConflicts, 0);
  CHECK(causes(pair.explained()) == Causes{"bank_conflicts"});
}

TEST_CASE("exposed latencies of the loop are told where warps wait for memory") {
  Pair pair = latency_bound();
  pair.slower.code->loads.waits_in_loop = 4;
  pair.faster.code->loads.waits_in_loop = 1;
  const std::vector<Finding> findings = pair.explained();
  const Finding* const latencies = find(findings, "exposed_latencies");
  REQUIRE(latencies != nullptr);
  CHECK(latencies->claim == Claim::consequence);
  Pair elsewhere(1);
  elsewhere.spend(elsewhere.slower, counter::kBarrier, 60);
  elsewhere.slower.code->loads.waits_in_loop = 4;
  elsewhere.faster.code->loads.waits_in_loop = 1;
  CHECK(find(elsewhere.explained(), "exposed_latencies") == nullptr);
}

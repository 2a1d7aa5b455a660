// Causes in other forms than those of bench/explain/pairs: other widths, other memories, other ways to the same
// trouble.
#include <doctest/doctest.h>

#include "tests/explain/facts_support.hpp"

using namespace tuner;
using namespace tuner::explain;
using namespace tuner::explain::testing;

namespace {

std::string_view first(Pair& pair) {
  const std::vector<Finding> findings = pair.explained();
  return findings.empty() ? "nothing" : findings.front().cause;
}

Pair waiting(std::string_view reason, double slower, double faster) {
  Pair pair(1);
  pair.spend(pair.slower, reason, slower);
  pair.spend(pair.faster, reason, faster);
  return pair;
}

}  // namespace

TEST_CASE("every second element, from a DRAM at its limit, is uncoalesced access and not DRAM traffic as such") {
  Pair pair = waiting(counter::kLongScoreboard, 80, 46);
  count_both(pair, counter::kGlobalLoadSectors, 8e7, 4e7);
  count_both(pair, counter::kDramRead, 8e7 * 32, 4e7 * 32);
  count_both(pair, counter::kDramWritten, 4e7 * 32, 4e7 * 32);
  count_both(pair, counter::kDramThroughput, 91, 91);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"uncoalesced_access"});
  REQUIRE(find(findings, "dram_traffic") != nullptr);
  CHECK(find(findings, "dram_traffic")->claim == Claim::consequence);
}

TEST_CASE("doubles and vectors that lie apart are uncoalesced where sectors are more than their width needs") {
  for (const bool is_double : {true, false}) {
    Pair pair = waiting(counter::kLongScoreboard, 100, 20);
    for (ConfigurationFacts* const facts : {&pair.slower, &pair.faster})
      facts->code->loads.to_registers = is_double ? GlobalLoads::ByWidth{0, 0, 1, 0} : GlobalLoads::ByWidth{0, 0, 0, 1};
    count_both(pair, counter::kGlobalLoadSectors, 3.2e8, is_double ? 8e7 : 1.6e8);
    CHECK(first(pair) == "uncoalesced_access");
  }
}

TEST_CASE("an offset that costs one sector more of each request is told with what would do") {
  Pair pair = waiting(counter::kLongScoreboard, 40, 28);
  pair.faster.code->loads.to_registers = {0, 2, 0, 1};
  count_both(pair, counter::kGlobalLoadSectors, 5e7, 4e7);
  count_both(pair, counter::kGlobalLoadRequests, 1e7, 2.5e6);
  const std::vector<Finding> findings = pair.explained();
  REQUIRE(find(findings, "uncoalesced_access") != nullptr);
  CHECK(find(findings, "uncoalesced_access")->sentence ==
        "a request of global loads takes 5 sectors in the baseline, where 4 would do, and 16 in the winner, with loads "
        "of up to 128 bits; in all from 50 million to 40 million");
}

TEST_CASE("stores of shared memory conflict too, twofold or more") {
  Pair pair = waiting(counter::kMioThrottle, 12, 1);
  count_both(pair, counter::kSharedStoreConflicts, 1.4e7, 0);
  count_both(pair, counter::kSharedLoadConflicts, 0, 0);
  count_both(pair, counter::kSharedWavefronts, 2.8e7, 1.4e7);
  CHECK(first(pair) == "bank_conflicts");
}

TEST_CASE("threads that each write another element of their arrays write many sectors: that is local memory's") {
  Pair pair = waiting(counter::kLgThrottle, 100, 0);
  pair.slower.resources.stack_bytes = 64;
  pair.slower.code->all.local_loads = pair.slower.code->all.local_stores = 4;
  count_both(pair, counter::kLocalLoads, 3e6, 0);
  count_both(pair, counter::kLocalStores, 3e6, 0);
  count_both(pair, counter::kL1ToL2Written, 3e6 * 700 + 1e7, 1e7);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"local_indexing"});
  REQUIRE(find(findings, "writes_to_l2") != nullptr);
  CHECK(find(findings, "writes_to_l2")->claim == Claim::consequence);
}

TEST_CASE("a register or two that are spilled beside an array on the stack do not make it a case of spills") {
  Pair pair = waiting(counter::kLongScoreboard, 60, 10);
  pair.slower.resources.stack_bytes = 272;
  pair.slower.resources.spill_store_bytes = 8;
  pair.slower.resources.spill_load_bytes = 8;
  pair.slower.code->all.local_loads = pair.slower.code->all.local_stores = 20;
  count_both(pair, counter::kLocalLoads, 2e7, 0);
  count_both(pair, counter::kLocalStores, 2e7, 0);
  CHECK(first(pair) == "local_indexing");
  pair.slower.resources.spill_store_bytes = pair.slower.resources.spill_load_bytes = 80;
  CHECK(first(pair) == "register_spills");
}

TEST_CASE("an array that both have on the stack is a cause where one accesses it more often") {
  Pair pair = waiting(counter::kLongScoreboard, 60, 10);
  pair.slower.resources.stack_bytes = pair.faster.resources.stack_bytes = 64;
  pair.slower.code->all.local_loads = 40;
  pair.faster.code->all.local_loads = 8;
  count_both(pair, counter::kLocalLoads, 4e7, 4e6);
  count_both(pair, counter::kLocalStores, 4e6, 4e6);
  CHECK(first(pair) == "local_indexing");
}

TEST_CASE("spills that more room for warps costs are the cause, not the fewer warps of the winner") {
  Pair pair = waiting(counter::kLgThrottle, 80, 0);
  pair.slower.resources.spill_store_bytes = pair.slower.resources.spill_load_bytes = 200;
  pair.faster.resources.registers = 96;
  count(pair.faster, counter::kOccupancy, 30);
  count_both(pair, counter::kLocalLoads, 3e7, 0);
  count_both(pair, counter::kLocalStores, 3e7, 0);
  count_both(pair, counter::kInstructions, 1.8e8, 1e8);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"register_spills"});
}

TEST_CASE("atomics on one address against many are contention although to find one takes instructions") {
  Pair pair = waiting(counter::kLgThrottle, 200, 0);
  count_both(pair, counter::kAtomicRequests, 1e7, 1e7);
  count_both(pair, counter::kInstructions, 1e8, 1.3e8);
  CHECK(first(pair) == "contended_atomics");
}

TEST_CASE("as many requests of atomics are contention where L2 updates fewer sectors for them") {
  Pair pair = waiting(counter::kLgThrottle, 1000, 50);
  count_both(pair, counter::kInstructions, 1.3e7, 1.4e7);
  count_both(pair, counter::kAtomicRequests, 60000, 60000);
  count_both(pair, counter::kL2AtomicSectors, 3.1e6, 1e5);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"contended_atomics"});
  CHECK(findings[0].sentence ==
        "sectors that L2 updates for atomics fell from 3.1 million to 100 thousand, with as many requests");
  Pair few = pair, awaited = pair, more_bytes = pair;
  count_both(few, counter::kL2AtomicSectors, 3.1e3, 1e2);
  CHECK(causes(few.explained()).empty());
  count_both(awaited, counter::kAtomicRequests, 60000, 0);
  count_both(awaited, counter::kAtomicResultRequests, 0, 60000);
  count_both(awaited, counter::kL2AtomicSectors, 3.1e6, 0);  // those with a result are not counted
  CHECK(causes(awaited.explained()).empty());
  count_both(more_bytes, counter::kGlobalLoadSectors, 4e9, 4e9);
  more_bytes.faster.code->under_way = {.loads = 8, .bytes = 32};
  CHECK(causes(more_bytes.explained()).empty());
}

TEST_CASE("fewer requests are no more contention than the sectors that L2 updates for them are fewer") {
  Pair pair = waiting(counter::kLgThrottle, 200, 0);
  count_both(pair, counter::kAtomicRequests, 1e6, 5e5);
  count_both(pair, counter::kL2AtomicSectors, 3e7, 1e5);
  CHECK(first(pair) == "contended_atomics");
  count_both(pair, counter::kL2AtomicSectors, 3e7, 2.99e7);
  CHECK(causes(pair.explained()).empty());
}

TEST_CASE("of atomics in global and in shared memory those that account for more are named") {
  Pair pair = waiting(counter::kMioThrottle, 200, 0);
  count_both(pair, counter::kAtomicRequests, 2e4, 1e4);
  count_both(pair, counter::kSharedAtomicConflicts, 2e8, 1e6);
  pair.slower.code->all.shared_atomics = 1;
  std::vector<Finding> findings = pair.explained();
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].sentence == "conflicts of atomics in shared memory fell from 200 million to 1 million");
  count_both(pair, counter::kAtomicRequests, 1e7, 1e4);
  count_both(pair, counter::kSharedAtomicConflicts, 2e7, 1e6);
  findings = pair.explained();
  CHECK(findings[0].sentence == "requests of global atomics fell from 10 million to 10 thousand");
}

TEST_CASE("atomics are contention beside more bytes under way where waiting for loads could not take the time") {
  Pair pair = waiting(counter::kLongScoreboard, 280, 48);
  pair.spend(pair.slower, counter::kBarrier, 156);
  pair.spend(pair.faster, counter::kBarrier, 16);
  count_both(pair, counter::kAtomicResultRequests, 1.1e6, 1.1e6);
  pair.slower.code->under_way = {.loads = 8, .bytes = 32};
  pair.faster.code->under_way = {.loads = 16, .bytes = 64};
  count_both(pair, counter::kGlobalLoadSectors, 8e8, 8e8);
  CHECK(first(pair) == "bytes_under_way");
  count_both(pair, counter::kGlobalLoadSectors, 4e7, 4e7);
  CHECK(causes(pair.explained()) == std::vector<std::string_view>{"contended_atomics"});
  pair.slower.code->loads.to_shared = {0, 0, 0, 1};  // of copies it is not known how many they are
  CHECK(first(pair) == "bytes_under_way");
}

TEST_CASE("threads that try again until an exchange succeeds are contention, not divergence") {
  Pair pair(1);
  count_both(pair, counter::kInstructions, 8e8, 1e8);
  count_both(pair, counter::kThreadsPerInstruction, 6, 32);
  count_both(pair, counter::kAtomicResultRequests, 6e7, 1e7);
  pair.slower.code->loop = CodeCounts{.global_atomics = 1};
  pair.slower.code->all.global_atomics = 1;
  CHECK(first(pair) == "contended_atomics");
}

TEST_CASE("an atomic of every block less is no cause where a few of them could not take the time") {
  Pair pair = waiting(counter::kLongScoreboard, 40, 10);
  count_both(pair, counter::kAtomicRequests, 2000, 500);
  count_both(pair, counter::kL2AtomicSectors, 2000, 500);
  CHECK(find(pair.explained(), "contended_atomics") == nullptr);
}

TEST_CASE("instructions that diverge are not counted again as instructions") {
  Pair pair(1);
  count_both(pair, counter::kInstructions, 4e8, 1e8);
  count_both(pair, counter::kThreadsPerInstruction, 8, 32);
  for (ConfigurationFacts* const facts : {&pair.slower, &pair.faster}) {
    count(*facts, counter::kOccupancy, 100);
    count(*facts, counter::kWait, 15);
  }
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"divergence"});
  REQUIRE(find(findings, "instruction_count") != nullptr);
  CHECK(find(findings, "instruction_count")->claim == Claim::consequence);
}

TEST_CASE("blocks of 32 threads leave half of the warps' slots empty") {
  Pair pair = waiting(counter::kLongScoreboard, 20, 20);
  pair.slower.geometry = {.grid = {800000, 1, 1}, .block = {32, 1, 1}};
  count(pair.slower, counter::kOccupancy, 48);
  CHECK(first(pair) == "occupancy_blocks");
}

TEST_CASE("registers leave no room is no cause where fewer blocks are launched than have room") {
  Pair pair(1);
  pair.slower.resources.registers = 45;
  pair.slower.geometry = {.grid = {528, 1, 1}, .block = {128, 1, 1}};
  pair.faster.geometry = {.grid = {528, 1, 1}, .block = {1024, 1, 1}};
  count(pair.slower, counter::kOccupancy, 25);
  for (ConfigurationFacts* const facts : {&pair.slower, &pair.faster}) count(*facts, counter::kWait, 15);
  CHECK(causes(pair.explained()) == std::vector<std::string_view>{"small_grid"});
}

TEST_CASE("vectors keep more bytes under way with as many loads, in registers that were idle") {
  Pair pair = waiting(counter::kLongScoreboard, 60, 10);
  pair.slower.geometry.grid[0] = 264;
  pair.faster.geometry.grid[0] = 264;
  pair.slower.idle_registers = 96;
  pair.faster.resources.registers = 44;
  pair.faster.code->loads.to_registers = {0, 0, 0, 1};
  pair.faster.code->under_way = {.loads = 1, .bytes = 16};
  count(pair.faster, counter::kGlobalLoadRequests, 2.5e6);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"bytes_under_way"});
  REQUIRE(find(findings, "idle_registers") != nullptr);
  CHECK(find(findings, "idle_registers")->sentence ==
        "registers of a thread rose from 32 to 44: the winner uses registers that the baseline leaves idle, which are "
        "96 a thread");
}

TEST_CASE("asynchronous copies keep more under way, although their sectors are not counted as loads") {
  Pair pair = waiting(counter::kLongScoreboard, 60, 10);
  pair.faster.code->loads.to_registers = {};
  pair.faster.code->loads.to_shared = {0, 0, 0, 4};
  pair.faster.code->under_way = {.loads = 4, .bytes = 64, .in_loop = true};
  count_both(pair, counter::kGlobalLoadRequests, 1e7, 100);
  count_both(pair, counter::kGlobalLoadSectors, 4e7, 400);
  count_both(pair, counter::kDramRead, 1.3e9, 1.3e9);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"bytes_under_way"});
  CHECK(find(findings, "memory_requests") == nullptr);
}

TEST_CASE("more bytes under way are no cause where times differ by a percent, as waiting for memory always would") {
  Pair pair = waiting(counter::kLongScoreboard, 80.97, 80);
  count(pair.slower, counter::kWarpLatency, 101.2);
  count(pair.faster, counter::kWarpLatency, 100);
  pair.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  CHECK(causes(pair.explained()).empty());
}

TEST_CASE("stores that are saved are a cause, with the accesses of the code") {
  Pair pair = waiting(counter::kLgThrottle, 60, 0);
  count_both(pair, counter::kL1ToL2Written, 9.6e9, 3.2e8);
  count_both(pair, counter::kGlobalStoreRequests, 7.5e7, 2.5e6);
  count_both(pair, counter::kGlobalStoreSectors, 3e8, 1e7);
  pair.slower.code->all.by_work[static_cast<std::size_t>(Work::global)] = 61;
  pair.slower.code->loads.to_registers = {0, 31, 0, 0};
  pair.faster.code->all.by_work[static_cast<std::size_t>(Work::global)] = 5;
  pair.faster.code->loads.to_registers = {0, 4, 0, 0};
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == std::vector<std::string_view>{"writes_to_l2"});
  REQUIRE(find(findings, "memory_requests") != nullptr);
  CHECK(find(findings, "memory_requests")
            ->sentence.ends_with("of stores from 75 million to 2.5 million: the code of the baseline has 31 loads and "
                                 "30 stores, that of the "
                                 "winner 4 and 1"));
}

TEST_CASE("where times differ by one percent, no small difference is told for a cause") {
  Pair pair(1.013);
  count_both(pair, counter::kInstructions, 1.004e8, 1e8);
  count_both(pair, counter::kL1ToL2Written, 1.5e6, 1e6);
  count_both(pair, counter::kSharedLoadConflicts, 2e5, 1e5);
  count_both(pair, counter::kLocalLoads, 6e5, 1e5);
  count_both(pair, counter::kOccupancy, 60, 60.5);
  CHECK(causes(pair.explained()).empty());
}

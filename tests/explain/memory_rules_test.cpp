#include <doctest/doctest.h>

#include "tests/explain/facts_support.hpp"

using namespace tuner;
using namespace tuner::explain;
using namespace tuner::explain::testing;

using Causes = std::vector<std::string_view>;

namespace {

/// The baseline works 1.9e5 more cycles on each multiprocessor than the winner, stalled for `reason`.
Pair stalled(std::string_view reason, double cycles = 20) {
  Pair pair(1);
  pair.spend(pair.faster, reason, 1);
  pair.spend(pair.slower, reason, 1 + cycles);
  return pair;
}

}  // namespace

TEST_CASE("bank conflicts are the cause where their cycles are those that the kernel takes longer") {
  Pair pair = stalled(counter::kShortScoreboard);
  count(pair.slower, counter::kSharedLoadConflicts, 3.2e7);
  count(pair.slower, counter::kSharedStoreConflicts, 1e5);
  count(pair.faster, counter::kSharedLoadConflicts, 0);
  count(pair.faster, counter::kSharedStoreConflicts, 1e5);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"bank_conflicts"});
  CHECK(findings[0].sentence ==
        "bank conflicts of shared memory fell from 32.1 million to 100 thousand: 242 thousand fewer cycles in each "
        "multiprocessor, where the baseline runs 237 thousand cycles longer");
  CHECK(findings[0].slower == doctest::Approx(3.21e7));
  CHECK(findings[0].strength > 0.99);
}

TEST_CASE("bank conflicts that take too few cycles to matter are not named") {
  Pair pair = stalled(counter::kLongScoreboard);
  count(pair.slower, counter::kSharedLoadConflicts, 1e6);
  count(pair.faster, counter::kSharedLoadConflicts, 0);
  CHECK(find(pair.explained(), "bank_conflicts") == nullptr);
}

TEST_CASE("bank conflicts for which no warp waits are not named") {
  Pair pair = stalled(counter::kLongScoreboard);
  count(pair.slower, counter::kSharedLoadConflicts, 1e8);
  count(pair.faster, counter::kSharedLoadConflicts, 0);
  CHECK(find(pair.explained(), "bank_conflicts") == nullptr);
}

TEST_CASE("differences as small as those of two runs are not told for a cause") {
  Pair pair(1.0125);
  pair.spend(pair.slower, counter::kLgThrottle, 0.08);
  count(pair.slower, counter::kWarpLatency, 20.25);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings).empty());
  CHECK(find(findings, "stalls") == nullptr);
}

TEST_CASE("uncoalesced loads are the cause where sectors of a request and in all fell") {
  Pair pair = stalled(counter::kLgThrottle);
  count(pair.slower, counter::kGlobalLoadSectors, 3.2e8);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"uncoalesced_access"});
  CHECK(findings[0].sentence ==
        "sectors in a request of global loads fell from 32 to 4, where 4 would do, in all from 320 million to 40 "
        "million");
  CHECK(findings[0].strength > 0.9);
}

TEST_CASE("uncoalesced stores are named too") {
  Pair pair = stalled(counter::kLgThrottle);
  count(pair.slower, counter::kGlobalStoreRequests, 1e7);
  count(pair.faster, counter::kGlobalStoreRequests, 1e7);
  count(pair.slower, counter::kGlobalStoreSectors, 3.2e8);
  count(pair.faster, counter::kGlobalStoreSectors, 4e7);
  CHECK(causes(pair.explained()) == Causes{"uncoalesced_access"});
}

TEST_CASE("wider loads have more sectors in a request and are not less coalesced") {
  Pair pair = stalled(counter::kLgThrottle);
  pair.slower.code->loads.to_registers = {0, 0, 0, 1};
  count(pair.slower, counter::kGlobalLoadRequests, 2.5e6);
  CHECK(find(pair.explained(), "uncoalesced_access") == nullptr);
}

TEST_CASE("scattered loads whose time does not show in waiting for memory are not the cause") {
  Pair pair = stalled(counter::kBarrier);
  count(pair.slower, counter::kGlobalLoadRequests, 1e5);
  count(pair.slower, counter::kGlobalLoadSectors, 32e5);
  count(pair.faster, counter::kGlobalLoadRequests, 1e5);
  count(pair.faster, counter::kGlobalLoadSectors, 4e5);
  const std::vector<Finding> findings = pair.explained();
  CHECK(find(findings, "uncoalesced_access") == nullptr);
  CHECK(causes(findings) == Causes{"barriers"});
}

TEST_CASE("local memory is spills where registers are spilled, and arrays where only the stack is used") {
  Pair pair = stalled(counter::kLongScoreboard);
  count(pair.slower, counter::kLocalLoads, 1e7);
  count(pair.slower, counter::kLocalStores, 1e7);
  count(pair.faster, counter::kLocalLoads, 0);
  count(pair.faster, counter::kLocalStores, 0);
  pair.slower.resources.stack_bytes = 64;
  std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"local_indexing"});
  CHECK(findings[0].sentence ==
        "loads and stores of local memory fell from 20 million to 0: arrays indexed at run time take 64 bytes of the "
        "stack in the baseline, 0 in the winner");
  pair.slower.resources.spill_store_bytes = 32;
  pair.slower.resources.spill_load_bytes = 32;
  findings = pair.explained();
  CHECK(causes(findings) == Causes{"register_spills"});
  CHECK(findings[0].sentence ==
        "loads and stores of local memory fell from 20 million to 0: the baseline spills 64 bytes of registers, the "
        "winner 0");
}

TEST_CASE("spills in code that does not run, or too few of them, are no cause") {
  Pair pair = stalled(counter::kLongScoreboard);
  pair.slower.resources.spill_store_bytes = 400;
  count(pair.slower, counter::kLocalLoads, 0);
  count(pair.faster, counter::kLocalLoads, 0);
  CHECK(find(pair.explained(), "register_spills") == nullptr);
  count(pair.slower, counter::kLocalLoads, 1e4);
  CHECK(find(pair.explained(), "register_spills") == nullptr);
}

TEST_CASE("less DRAM traffic is a cause only where DRAM is at its limit") {
  Pair pair = stalled(counter::kLongScoreboard);
  count(pair.slower, counter::kDramRead, 4e9);
  count(pair.faster, counter::kDramRead, 2e9);
  CHECK(find(pair.explained(), "dram_traffic") == nullptr);
  count(pair.slower, counter::kDramThroughput, 90);
  count(pair.faster, counter::kDramThroughput, 91);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"dram_traffic"});
  CHECK(findings[0].sentence == "bytes of DRAM fell from 4 GB to 2 GB, with its throughput at 90 and 91 % of the peak");
  REQUIRE(find(findings, "bandwidth_binds") != nullptr);
  CHECK(find(findings, "bandwidth_binds")->sentence ==
        "DRAM throughput is at 90 and 91 % of the peak: bandwidth binds both");
}

TEST_CASE("stores that are no longer repeated are a cause where L2 takes them slowly") {
  Pair pair = stalled(counter::kLgThrottle);
  count(pair.slower, counter::kL1ToL2Written, 2e9);
  count(pair.faster, counter::kL1ToL2Written, 5e7);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"writes_to_l2"});
  CHECK(findings[0].sentence == "bytes written from L1 to L2 fell from 2 GB to 50 MB");
}

TEST_CASE("wider loads are told with the requests that they save, as a consequence") {
  Pair pair = stalled(counter::kLgThrottle);
  pair.faster.code->loads.to_registers = {0, 0, 0, 1};
  count(pair.faster, counter::kGlobalLoadRequests, 2.5e6);
  const std::vector<Finding> findings = pair.explained();
  const Finding* const width = find(findings, "load_width");
  REQUIRE(width != nullptr);
  CHECK(width->claim == Claim::consequence);
  CHECK(width->sentence ==
        "requests of global loads fell from 10 million to 2.5 million: the winner loads 128 bits at once, the baseline "
        "32");
}

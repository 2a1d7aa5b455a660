#include "tuner/explain/rules.hpp"

#include <doctest/doctest.h>

#include "tests/explain/facts_support.hpp"

using namespace tuner;
using namespace tuner::explain;
using namespace tuner::explain::testing;

TEST_CASE("nothing is said where the difference does not show in time") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kShortScoreboard, 30);
  count(pair.slower, counter::kSharedLoadConflicts, 1e9);
  count(pair.faster, counter::kSharedLoadConflicts, 0);
  CHECK_FALSE(pair.explained().empty());
  pair.slower.to_other = TimeRatio{0.99, 1.5, 2.5};
  CHECK(explain_difference(pair.slower, pair.faster, pair.device).empty());
  pair.slower.to_other = TimeRatio{1.001, 1.005, 1.01};
  CHECK(explain_difference(pair.slower, pair.faster, pair.device).empty());
  pair.slower.to_other.reset();
  pair.faster.to_other = TimeRatio{0.8, 0.9, 1.02};
  CHECK(explain_difference(pair.slower, pair.faster, pair.device).empty());
  pair.faster.to_other.reset();
  pair.slower.time_ns.reset();
  CHECK(explain_difference(pair.slower, pair.faster, pair.device).empty());
}

TEST_CASE("the interval may be that of either configuration, or times alone decide") {
  Pair pair(1.5);
  pair.settle();
  pair.slower.to_other.reset();
  CHECK_FALSE(explain_difference(pair.slower, pair.faster, pair.device).empty());
  pair.faster.to_other = TimeRatio{0.6, 0.667, 0.7};
  CHECK_FALSE(explain_difference(pair.slower, pair.faster, pair.device).empty());
  // Asked the wrong way round.
  pair.faster.to_other.reset();
  CHECK(explain_difference(pair.faster, pair.slower, pair.device).empty());
}

TEST_CASE("what no rule explains is called unexplained, once and last") {
  Pair pair(1.25);
  const std::vector<Finding> findings = pair.explained();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].cause == "unexplained");
  CHECK(findings[0].claim == Claim::unexplained);
  CHECK(findings[0].sentence == "why the baseline takes 25.0 % longer is unexplained");
  CHECK(findings[0].strength > 0.99);
}

TEST_CASE("without counters what differs is told, and no cause is claimed") {
  Pair pair(2);
  pair.settle();
  pair.slower.counters.clear();
  pair.slower.resources.registers = 128;
  pair.slower.resources.spill_store_bytes = 400;
  pair.slower.resources.spill_load_bytes = 20;
  pair.slower.code->all.double_conversions = 2;
  pair.slower.code->all.global_atomics = 1;
  pair.slower.code->loads.waits_in_loop = 8;
  pair.faster.code->loads.waits_in_loop = 1;
  pair.faster.code->loads.to_registers = {0, 0, 0, 1};
  pair.faster.code->under_way = {.loads = 1, .bytes = 16};
  add_derived(pair.slower, pair.device);
  add_derived(pair.faster, pair.device);
  const std::vector<Finding> findings = explain_difference(pair.slower, pair.faster, pair.device);
  CHECK(causes(findings).empty());
  const auto sentence = [&](std::string_view cause) {
    const Finding* const finding = find(findings, cause);
    REQUIRE(finding != nullptr);
    CHECK(finding->sentence.find("because") == std::string::npos);
    return finding->sentence;
  };
  CHECK(sentence("register_spills") == "the baseline spills 420 bytes of registers, the winner 0");
  CHECK(sentence("exposed_latencies") ==
        "a turn of the inner loop of the baseline exposes 8 latencies of memory, that of the winner 1");
  CHECK(sentence("load_width") == "the winner loads 128 bits at once, the baseline 32");
  CHECK(sentence("bytes_under_way") == "the winner keeps 32 KB under way in every multiprocessor, the baseline 2 KB");
  CHECK(sentence("occupancy_registers") ==
        "25 and 100 % of the warps fit: in the baseline 128 registers a thread leave room for 2 blocks of 256 threads; "
        "in the winner all its warps are resident: 8 blocks of 256 threads");
  CHECK(
      sentence("fp64_literal").starts_with("the code of the baseline has 0 instructions in double and 2 conversions"));
  CHECK(sentence("contended_atomics") == "the code of the baseline has 1 atomic, that of the winner 0");
  CHECK(findings.back().cause == "unexplained");
  CHECK(findings.back().sentence == "why the baseline takes 100.0 % longer is unexplained without hardware counters");
}

TEST_CASE("a special cause comes before the general ones that follow from it, and a weak one after them") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kMioThrottle, 20);
  count(pair.slower, counter::kSharedLoadConflicts, 6e8);
  count(pair.faster, counter::kSharedLoadConflicts, 0);
  count(pair.slower, counter::kSharedWavefronts, 7e8);
  count(pair.faster, counter::kSharedWavefronts, 1e8);
  CHECK(causes(pair.explained()) == std::vector<std::string_view>{"bank_conflicts"});
  CHECK(find(pair.explained(), "shared_wavefronts")->claim == Claim::consequence);
  // Passes that are no conflicts are a cause of their own.
  count(pair.slower, counter::kSharedLoadConflicts, 3e8);
  count(pair.slower, counter::kSharedWavefronts, 9e8);
  pair.spend(pair.slower, counter::kMioThrottle, 60);
  CHECK(causes(pair.explained()) == std::vector<std::string_view>{"bank_conflicts", "shared_wavefronts"});
}

#include <doctest/doctest.h>

#include "tests/explain/facts_support.hpp"

using namespace tuner;
using namespace tuner::explain;
using namespace tuner::explain::testing;

using Causes = std::vector<std::string_view>;

TEST_CASE("divergence is the cause where fewer threads share an instruction and more are executed") {
  Pair pair(1);
  count(pair.slower, counter::kInstructions, 4e8);
  count(pair.slower, counter::kThreadsPerInstruction, 8);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings).front() == "divergence");
  CHECK(findings[0].strength > 0.99);
  CHECK(
      findings[0].sentence ==
      "threads of a warp that execute an instruction rose from 8 to 32 of 32, so instructions fell from 400 million to "
      "100 million");
}

TEST_CASE("branches that became predicates diverge too") {
  Pair pair(1);
  count(pair.slower, counter::kInstructions, 2e8);
  count(pair.slower, counter::kThreadsNotPredicatedOff, 16);
  CHECK(causes(pair.explained()).front() == "divergence");
}

TEST_CASE("the largest stall is told as a consequence") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kLgThrottle, 82.8);
  pair.spend(pair.slower, counter::kWait, 2);
  pair.spend(pair.faster, counter::kLgThrottle, 0.7);
  const std::vector<Finding> findings = pair.explained();
  REQUIRE(find(findings, "stalls") != nullptr);
  CHECK(find(findings, "stalls")->claim == Claim::consequence);
  CHECK(find(findings, "stalls")->sentence == "lg-throttle stalls fell from 82.8 to 0.7 cycles an instruction");
  CHECK(findings.back().cause == "unexplained");
}

TEST_CASE("fewer threads an instruction without more instructions is no cause") {
  Pair pair(2);
  count(pair.slower, counter::kThreadsPerInstruction, 8);
  CHECK(find(pair.explained(), "divergence") == nullptr);
}

TEST_CASE("threads that repeat an atomic are contention, not divergence") {
  Pair pair(1);
  count(pair.slower, counter::kInstructions, 4e8);
  count(pair.slower, counter::kThreadsPerInstruction, 8);
  count(pair.slower, counter::kSharedAtomicConflicts, 4e7);
  count(pair.faster, counter::kSharedAtomicConflicts, 1e6);
  pair.slower.code->all.shared_atomics = 1;
  pair.slower.code->loop = CodeCounts{.shared_atomics = 1};
  const Causes named = causes(pair.explained());
  REQUIRE_FALSE(named.empty());
  CHECK(named.front() == "contended_atomics");
}

TEST_CASE("a double literal is the cause where conversions and the fp64 pipe take the time") {
  Pair pair(1);
  count(pair.slower, counter::kInstructions, 2e8);
  pair.spend(pair.slower, counter::kMathPipeThrottle, 10);
  count(pair.slower, counter::kFp64Pipe, 12);
  count(pair.faster, counter::kFp64Pipe, 0);
  count(pair.slower, counter::kXuPipe, 95);
  count(pair.faster, counter::kXuPipe, 0);
  pair.slower.code->all.double_conversions = 2;
  pair.slower.code->all.by_work[static_cast<std::size_t>(Work::float64)] = 1;
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings).front() == "fp64_literal");
  CHECK(findings[0].sentence ==
        "use of the fp64 pipe fell from 12 to 0 %, of the XU pipe, which converts, from 95 to 0 %: the code of the "
        "baseline has 1 instruction in double and 2 conversions, that of the winner 0 and 0");
  // Between integers there are none.
  pair.slower.code->all.double_conversions = 0;
  CHECK(causes(pair.explained()).front() == "fp64_literal");
  // The same with doubles that are loaded is double arithmetic that was meant.
  pair.slower.code->loads.to_registers = {0, 0, 1, 0};
  CHECK(causes(pair.explained()).front() == "fp64_arithmetic");
}

TEST_CASE("a double literal among many instructions is no cause of all those that are saved") {
  Pair pair(1);
  count(pair.slower, counter::kInstructions, 2e8);
  count(pair.slower, counter::kFp64Pipe, 1);
  count(pair.faster, counter::kFp64Pipe, 0);
  pair.slower.code->all.double_conversions = 2;
  pair.slower.code->all.by_work[static_cast<std::size_t>(Work::float64)] = 1;
  pair.slower.code->all.instructions = 500;
  CHECK(causes(pair.explained()) == Causes{"instruction_count"});
  // Ten of the 15 instructions of a loop are others.
  pair.slower.code->loop = CodeCounts{.instructions = 15, .double_conversions = 4};
  pair.slower.code->loop->by_work[static_cast<std::size_t>(Work::float64)] = 1;
  CHECK(causes(pair.explained()).front() == "fp64_literal");
}

TEST_CASE("a double literal that is hardly executed is no cause") {
  Pair pair(2);
  count(pair.slower, counter::kFp64Pipe, 0.1);
  count(pair.faster, counter::kFp64Pipe, 0);
  pair.slower.code->all.double_conversions = 2;
  CHECK(find(pair.explained(), "fp64_literal") == nullptr);
}

TEST_CASE("contended atomics are the cause where requests fell and no other wait explains the time") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kLgThrottle, 100);
  count(pair.slower, counter::kAtomicRequests, 1e7);
  count(pair.faster, counter::kAtomicRequests, 1e5);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings) == Causes{"contended_atomics"});
  CHECK(findings[0].sentence == "requests of global atomics fell from 10 million to 100 thousand");
}

TEST_CASE("a few atomics less are no cause where warps wait at barriers") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kBarrier, 100);
  count(pair.slower, counter::kAtomicRequests, 1e7);
  count(pair.faster, counter::kAtomicRequests, 1e5);
  CHECK(causes(pair.explained()) == Causes{"barriers"});
  Pair few(2);
  count(few.slower, counter::kAtomicRequests, 200);
  count(few.faster, counter::kAtomicRequests, 100);
  CHECK(find(few.explained(), "contended_atomics") == nullptr);
}

TEST_CASE("as many atomics on fewer addresses are contention where all else is alike") {
  Pair pair(1);
  pair.spend(pair.slower, counter::kLgThrottle, 100);
  count(pair.slower, counter::kAtomicRequests, 1e7);
  count(pair.faster, counter::kAtomicRequests, 1e7);
  CHECK(causes(pair.explained()) == Causes{"contended_atomics"});
  count(pair.slower, counter::kGlobalLoadSectors, 3.2e8);
  CHECK(causes(pair.explained()) == Causes{"uncoalesced_access"});
}

TEST_CASE("as many atomics are no contention where more warps hide more of every latency, or memory is nearer") {
  Pair pair(1);
  pair.slower.resources.registers = 128;
  for (ConfigurationFacts* const facts : {&pair.slower, &pair.faster}) count(*facts, counter::kAtomicRequests, 1e7);
  count(pair.slower, counter::kOccupancy, 25);
  CHECK(causes(pair.explained()) == Causes{"occupancy_registers"});

  Pair bytes(1);
  for (ConfigurationFacts* const facts : {&bytes.slower, &bytes.faster}) count(*facts, counter::kAtomicRequests, 1e7);
  bytes.spend(bytes.slower, counter::kLongScoreboard, 60);
  bytes.spend(bytes.faster, counter::kLongScoreboard, 10);
  CHECK(causes(bytes.explained()) == Causes{"contended_atomics"});
  count(bytes.slower, counter::kDramRead, 1.2e9);
  count(bytes.faster, counter::kDramRead, 1e8);
  CHECK(causes(bytes.explained()).empty());
  count(bytes.slower, counter::kDramRead, 1e8);
  bytes.faster.code->under_way = {.loads = 4, .bytes = 16, .in_loop = true};
  CHECK(causes(bytes.explained()) == Causes{"bytes_under_way"});
}

TEST_CASE("fewer instructions are the cause where issuing them takes the time, a consequence elsewhere") {
  Pair pair(1);
  count(pair.slower, counter::kInstructions, 2e8);
  const std::vector<Finding> issued = pair.explained();
  CHECK(causes(issued) == Causes{"instruction_count"});
  pair.spend(pair.slower, counter::kLongScoreboard, 40);
  pair.spend(pair.faster, counter::kLongScoreboard, 40);
  const std::vector<Finding> waiting = pair.explained();
  CHECK(causes(waiting).empty());
  REQUIRE(find(waiting, "instruction_count") != nullptr);
  CHECK(find(waiting, "instruction_count")->claim == Claim::consequence);
}

TEST_CASE("fewer instructions are no cause where a busier pipe has as much to do as before") {
  Pair pair(1);
  count(pair.slower, counter::kInstructions, 1.06e8);
  pair.spend(pair.slower, counter::kMathPipeThrottle, 6.6);
  pair.spend(pair.faster, counter::kMathPipeThrottle, 6.2);
  CHECK(causes(pair.explained()) == Causes{"instruction_count"});
  // As measured: roots of numbers, 6 % fewer instructions, 7.7 % less time.
  count(pair.slower, counter::kXuPipe, 85);
  count(pair.faster, counter::kXuPipe, 92);
  const std::vector<Finding> findings = pair.explained();
  CHECK(causes(findings).empty());
  REQUIRE(find(findings, "instruction_count") != nullptr);
  CHECK(find(findings, "instruction_count")->sentence ==
        "instructions fell from 106 million to 100 million, 0.6 and 0.61 issued in a cycle of a scheduler, where the "
        "XU pipe is in use for 85 and 92 % of the time");
  CHECK(findings.back().cause == "unexplained");
  // Instructions of that pipe that are saved are time.
  count(pair.faster, counter::kXuPipe, 85);
  CHECK(causes(pair.explained()) == Causes{"instruction_count"});
}

TEST_CASE("blocks are the cause where they do not start fast enough to fill the multiprocessors") {
  Pair pair(1);
  pair.slower.geometry.grid[0] = 12'000'000;
  pair.faster.geometry.grid[0] = 3'000'000;
  count(pair.slower, counter::kInstructions, 4e8);
  count(pair.slower, counter::kOccupancy, 15);
  count(pair.faster, counter::kOccupancy, 60);
  pair.spend(pair.slower, counter::kLongScoreboard, 30);
  pair.spend(pair.faster, counter::kLongScoreboard, 30);
  const Causes named = causes(pair.explained());
  CHECK(std::find(named.begin(), named.end(), "block_starts") != named.end());
}

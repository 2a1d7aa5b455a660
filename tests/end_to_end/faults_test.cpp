// Hundreds of bad candidates in one session.
#include <doctest/doctest.h>

#include <map>

#include "tests/end_to_end/story.hpp"

using tuner::test::kind_of;
using tuner::test::Row;
using tuner::test::Told;
using tuner::test::Tuner;

namespace {

const std::string kFastest = "FLAVOUR=2,KIND=right,VARIANT=6";

/// What becomes of each kind that fails while the space is searched.
const std::map<std::string, std::string> kClass = {
    {"right", "ok"},
    {"does_not_compile", "compile_error"},
    {"compiles_forever", "compile_timeout"},
    {"refused", "launch_refused"},
    {"too_many_threads", "launch_refused"},
    {"too_much_shared", "launch_refused"},
    {"too_large", "out_of_memory"},
    {"faults", "illegal_access"},
    {"faults_later", "illegal_access"},
    {"misaligned", "illegal_access"},
    {"traps", "illegal_access"},
    {"past_end", "guard_violation"},
    {"before_start", "guard_violation"},
    {"input", "input_modified"},
    {"wrong", "wrong_result"},
    {"unwritten", "unwritten_output"},
    {"flaky", "nondeterministic"},
    {"hangs", "run_timeout"},
    {"hangs_later", "run_timeout"},
    {"dies", "worker_lost"},
    {"killed", "worker_lost"},
};

const std::string kSearched = "KIND not in (faults_racing, hangs_racing, faults_elsewhere, wrong_elsewhere)";

}  // namespace

TEST_CASE("three hundred faults of every class cost their configurations, and nothing else") {
  const Tuner healthy;
  const Told without = healthy.tune({"KIND == right"});
  REQUIRE(without.exit_code == 0);
  REQUIRE(without.winner == kFastest);

  const Tuner user;
  const Told told = user.tune({kSearched});
  INFO(told.err);
  CHECK(told.exit_code == 0);
  CHECK(told.winner == without.winner);
  CHECK(told.counters.at("asked") == 369);
  CHECK(told.counters.at("failed") == 301);
  CHECK(told.counters.at("stored") == 369);

  std::map<std::string, int> seen;
  for (const Row& row : user.rows()) {
    CAPTURE(row.configuration);
    CAPTURE(row.message);
    CHECK(++seen[row.configuration] == 1);
    CHECK(row.outcome == kClass.at(kind_of(row.configuration)));
    CHECK((row.outcome == "ok") == row.message.empty());
  }
  CHECK(seen.size() == 369);
  CHECK(user.all_processes_end());
}

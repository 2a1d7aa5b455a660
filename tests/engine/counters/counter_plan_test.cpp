// CUPTI's host half: it needs neither a GPU nor a driver.
#include "tuner/engine/counters/counter_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/skip.hpp"
#include "tuner/core/counters/counters.hpp"
#include "tuner/engine/counters/range_counter.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

const bool cupti_is_there = [] {
  try {
    return !known_chips().empty();
  } catch (const CountingRefused& refusal) {
    test::skip(refusal.what());
  }
}();

using Names = std::vector<std::string>;

const Names kAllCounters(counter_names().begin(), counter_names().end());

CounterPlan plan_with(const char* chip, Names names) {
  return plan_counters(chip, names);
}

}  // namespace

TEST_CASE("every counter by which differences are explained is one of the GPUs that kernels are tuned for") {
  for (const char* chip : {"GA100", "AD102", "GH100"}) {
    CAPTURE(chip);
    const CounterPlan plan = plan_with(chip, kAllCounters);
    CHECK(plan.unknown == Names());
    CHECK(plan.counted == kAllCounters);
    CHECK_FALSE(plan.image.empty());
    MESSAGE(std::string(chip), ": ", plan.passes, " passes");
  }
}

TEST_CASE("counters share passes: all of them take a third as many launches as each alone") {
  for (const char* chip : {"GA100", "AD102", "GH100"}) {
    CAPTURE(chip);
    int alone = 0;
    for (const std::string& name : kAllCounters) alone += plan_with(chip, {name}).passes;
    const int together = plan_with(chip, kAllCounters).passes;
    CHECK(together >= plan_with(chip, {std::string(counter::kSmThroughput)}).passes);
    CHECK(3 * together <= alone);
  }
  CHECK(plan_with("GH100", {std::string(counter::kInstructions)}).passes == 1);
}

TEST_CASE("what a GPU lacks is left out, and the others are planned as if it had not been asked for") {
  const CounterPlan consumer = plan_with("GB202", kAllCounters);
  CHECK(consumer.unknown == Names{std::string(counter::kDramRead), std::string(counter::kDramWritten)});
  CHECK(consumer.counted.size() + consumer.unknown.size() == kAllCounters.size());
  CHECK(consumer.image == plan_with("GB202", consumer.counted).image);

  const std::string known(counter::kInstructions), other(counter::kL2HitRate);
  const CounterPlan misspelt = plan_with("GH100", {known, "smsp__inst_executd.sum", other});
  CHECK(misspelt.counted == Names{known, other});
  CHECK(misspelt.unknown == Names{"smsp__inst_executd.sum"});
  CHECK(misspelt.passes == plan_with("GH100", {known, other}).passes);
}

TEST_CASE("nothing takes no passes") {
  CHECK(plan_with("GH100", {}).passes == 0);
  const CounterPlan nothing = plan_with("GH100", {"", "no_such.sum", "smsp__inst_executed.no_such"});
  CHECK(nothing.counted.empty());
  CHECK(nothing.unknown.size() == 3);
  CHECK(nothing.passes == 0);
  CHECK(nothing.image.empty());
}

TEST_CASE("a kind of GPU that CUPTI does not know is refused by name") {
  const std::vector<std::string> chips = known_chips();
  CHECK(std::find(chips.begin(), chips.end(), "GH100") != chips.end());
  try {
    plan_with("GX999", kAllCounters);
    FAIL("it was planned for");
  } catch (const CountingRefused& refusal) {
    const std::string sentence = refusal.what();
    CHECK(sentence.find("cuptiProfilerHostInitialize for the chip GX999") != std::string::npos);
    CHECK(sentence.find("CUPTI_ERROR_INVALID_CHIP_NAME (46)") != std::string::npos);
    CHECK(sentence.ends_with("."));
  }
}

TEST_CASE("without a driver in use there is a sentence, and no crash") {
  CHECK_THROWS_AS(RangeCounter counter(kAllCounters), CountingRefused);
}

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "tests/kernel_sources/prefetch_run.hpp"

using namespace tuner::host;

namespace {

bool is(const Variant& variant, std::string_view assignment) {
  return ("," + std::string(variant.configuration) + ",").find("," + std::string(assignment) + ",") !=
         std::string::npos;
}

}  // namespace

TEST_CASE("every compiled configuration of prefetch gives the reference's sums in every order of threads") {
  int runs = 0;
  for (const Variant& variant : all_variants()) {
    for (const Case& problem : variant.cases) {
      for (Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::shuffled}) {
        CAPTURE(variant.configuration);
        CAPTURE(problem.text());
        CAPTURE(static_cast<int>(schedule));
        CHECK_EQ(run_prefetch(variant, problem, schedule), "");
        ++runs;
      }
    }
  }
  MESSAGE(all_variants().size() << " variants, " << runs << " runs");
}

TEST_CASE("the compiled configurations hold every strategy, both forms, both layouts, and both kinds of loop") {
  std::set<std::string_view> configurations;
  for (const Variant& variant : all_variants()) configurations.insert(variant.configuration);
  CHECK_GE(configurations.size(), 100);
  for (std::string_view wanted :
       {"STRATEGY=none", "STRATEGY=unrolled", "STRATEGY=register_batched", "STRATEGY=shared_batched",
        "STRATEGY=register_rolling", "STRATEGY=shared_rolling", "STRATEGY=shared_rolling_async", "STRATEGY=l2_prefetch",
        "REGISTER_FORM=unrolled_slot", "SLOT_LAYOUT=interleaved", "SIZE_KNOWN=1", "UNROLL=0", "PDIST=16", "PDIST=64",
        "BLOCKDIMX=64", "BLOCKDIMX=1024"}) {
    CAPTURE(wanted);
    int with_barrier = 0, without = 0;
    for (const Variant& variant : all_variants()) {
      if (!is(variant, wanted)) continue;
      for (const Case& problem : variant.cases) ++(problem.get("sync_in_loop") != 0 ? with_barrier : without);
    }
    CHECK_GT(with_barrier, 0);
    CHECK_GT(without, 0);
  }
}

// How a check on the CPU keeps to its time. Through the library, because the program gives a run ten seconds.
#include <doctest/doctest.h>

#include <algorithm>

#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/host/check.hpp"

using namespace tuner;

namespace {

host::HostResult check(const std::string& problem, host::HostOptions options, bool races = false) {
  const auto description = std::make_shared<const KernelDescription>(
      load_description(TUNER_HOST_KERNELS "/much_work.cu", "", [](const std::string&) {}));
  options.device = known_device(kPlanDevice);
  options.races = races;
  return host::check_on_host(description, {{"BLOCKDIMX=64", {parse_problem("n=100"), parse_problem(problem)}}},
                             options);
}

bool says(const host::HostResult& result, const std::string& words) {
  return std::any_of(result.unchecked.begin(), result.unchecked.end(),
                     [&](const host::Unchecked& one) { return one.sentence.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a kernel that goes on for longer than there is time is a hang only where the problem is small") {
  host::HostOptions options;
  options.limit = std::chrono::seconds(1);
  const host::HostResult result = check("n=200,rounds=1000000000", options);
  CHECK(result.findings.empty());
  CHECK_EQ(result.cases, 1);
  CHECK(says(result, "`n=200,rounds=1000000000` does not end, or is more work than a CPU does in 1 s"));
  REQUIRE_EQ(result.unchecked.size(), 1);
  CHECK_EQ(result.unchecked[0].place.line, 12);

  options.small_problems = true;
  const host::HostResult small = check("n=200,rounds=1000000000", options);
  CHECK_EQ(small.configurations, 1);
  REQUIRE_EQ(small.findings.size(), 1);
  CHECK_EQ(small.findings[0].kind, host::FindingKind::hang);
  CHECK_EQ(small.findings[0].place.line, 12);
}

TEST_CASE("runs that the watch for races makes too slow are not said to have been checked for races") {
  host::HostOptions options;
  options.limit = std::chrono::seconds(1);
  const host::HostResult result = check("n=200,rounds=2", options, true);
  CHECK(result.findings.empty());
  CHECK_EQ(result.cases, 2);
  CHECK_EQ(result.raced, 1);
  CHECK(says(result, "1 run was not checked for races to the end"));
}

TEST_CASE("a check that has no more time says what it left out") {
  host::HostOptions options;
  options.budget = std::chrono::milliseconds(1);
  const host::HostResult result = check("n=200", options);
  CHECK_EQ(result.configurations, 0);
  CHECK(says(result, "The time limit of 0.001 s was reached (`--budget`): 1 configuration was not compiled"));
}

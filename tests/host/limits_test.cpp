// How a check on the CPU keeps to its time. Through the library, because the program gives a run ten seconds.
#include <doctest/doctest.h>

#include <algorithm>

#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/host/check.hpp"

using namespace tuner;

namespace {

host::HostResult check(const std::string& problem, host::HostOptions options) {
  const auto description = std::make_shared<const KernelDescription>(
      load_description(TUNER_HOST_KERNELS "/much_work.cu", "", [](const std::string&) {}));
  options.device = known_device(kPlanDevice);
  options.races = false;
  return host::check_on_host(description, {{"BLOCKDIMX=64", {parse_problem("n=100"), parse_problem(problem)}}},
                             options);
}

bool says(const host::HostResult& result, const std::string& words) {
  return std::any_of(result.unchecked.begin(), result.unchecked.end(),
                     [&](const host::Unchecked& one) { return one.sentence.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a kernel that goes on for longer than there is time is too much work and no hang") {
  host::HostOptions options;
  options.limit = std::chrono::seconds(1);
  const host::HostResult result = check("n=200,rounds=1000000000", options);
  CHECK(result.findings.empty());
  CHECK_EQ(result.cases, 1);
  CHECK(says(result, "`n=200,rounds=1000000000` is more work than a CPU does in 1 s"));
}

TEST_CASE("a check that has no more time says what it left out") {
  host::HostOptions options;
  options.budget = std::chrono::milliseconds(1);
  const host::HostResult result = check("n=200", options);
  CHECK_EQ(result.configurations, 0);
  CHECK(says(result, "The time limit of 0.001 s was reached (`--budget`): 1 configuration was not compiled"));
}

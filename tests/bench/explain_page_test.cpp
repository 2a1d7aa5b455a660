#include "bench/explain/page.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace tuner::bench {
namespace {

/// The command with which a page of these two begins.
std::string command_of(std::string_view from, std::string_view to) {
  explain::Explanation explanation;
  explanation.kernel = "scale";
  explanation.file = "kernels/scale.cu";
  explanation.problem = "n=1";
  explanation.from.name = from;
  explanation.from.configuration = "BLOCK=128";
  explanation.to.name = to;
  explanation.to.configuration = "BLOCK=256";
  const std::string page = page_of(explanation, "driver 580");
  return page.substr(0, page.find('\n'));
}

TEST_CASE("a page begins with the command that explains the same two configurations, however they are called") {
  CHECK(command_of(explain::kBaselineName, explain::kWinnerName) ==
        "    tuner explain kernels/scale.cu --problem n=1 --counters");
  CHECK(command_of("the other", "this one") ==
        "    tuner explain kernels/scale.cu@BLOCK=256 --problem n=1 --against BLOCK=128 --counters");
  CHECK(command_of("one", "two") == command_of("the other", "this one"));
  CHECK(command_of(explain::kBaselineName, "this one") ==
        "    tuner explain kernels/scale.cu@BLOCK=256 --problem n=1 --counters");
  CHECK(command_of("the other", explain::kWinnerName) ==
        "    tuner explain kernels/scale.cu --problem n=1 --against BLOCK=128 --counters");
}

}  // namespace
}  // namespace tuner::bench

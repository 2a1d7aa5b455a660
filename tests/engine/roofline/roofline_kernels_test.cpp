// The kernels that measure what a GPU reaches, as far as they can be tried without one.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/support/length.hpp"
#include "tuner/core/binary/code_facts.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/engine/roofline/measured_roofline.hpp"

namespace tuner::engine {
namespace {

TEST_CASE("the kernels of the roofline compile for old and new GPUs in every configuration, without spills") {
  const NvrtcCompiler compiler({});
  const std::map<std::string, ProblemValues> problems{
      {"roofline_read", {{"n", 1 << 20}}},
      {"roofline_copy", {{"n", 1 << 20}}},
      {"roofline_read_cached", {{"n", 1 << 20}, {"passes", 8}}},
      {"roofline_multiply_add", {{"threads", 1 << 20}, {"steps", 64}, {"TYPE", "double"}}},
  };
  std::size_t kernels = 0;
  for (const KernelDescription& description : parse_descriptions(roofline_source(), "roofline_kernels.cu")) {
    CAPTURE(description.kernel);
    for (const char* device : {"RTX_3090", "H200"}) {
      const Task task(description, problems.at(description.kernel), known_device(device));
      check_written_signatures(task.description(), task.headers());
      // A quick search tries them all.
      CHECK(task.space().size() >= 4);
      CHECK(task.space().size() <= 60);
      for (std::uint64_t i = 0; i < task.space().size(); i += test::length(4, 1)) {
        const CompileReply reply = compiler.compile(compile_request(task, task.space().at(i)));
        REQUIRE_MESSAGE(reply.outcome == Outcome::ok, reply.message);
        CHECK(reply.facts.spill_store_bytes.value_or(0) == 0);
        if (description.kernel == "roofline_multiply_add") continue;
        const auto loads = global_loads(reply.cubin.bytes, reply.cubin.kernel);
        CHECK((!loads || loads->widest_bits() == 128));
      }
    }
    ++kernels;
  }
  CHECK(kernels == problems.size());
}

}  // namespace
}  // namespace tuner::engine

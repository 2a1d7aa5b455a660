// The tests on the CPU are worth something only if they fail when a shipped kernel is wrong: each mistake planted in
// prefetch.cu is found.
#include <doctest/doctest.h>

#include <array>
#include <string_view>

#include "tests/kernel_sources/case_picks.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/process/usable_cores.hpp"

using namespace tuner;
using namespace tuner::host;

namespace {

/// `right` stands in the kernel's text exactly once.
struct SeededBug {
  std::string_view name;
  std::string_view configuration;
  std::string_view problem;
  std::string_view right, wrong;
  FindingKind kind;
};

constexpr std::array<SeededBug, 9> kSeededBugs = {{
    {"commit only where a copy was started", "STRATEGY=shared_rolling_async,BLOCKDIMX=64,PDIST=4",
     "rows=1,row_length=640",
     "if (row.holds(position)) tuner::copy_async<8>(slot_of_thread(slot), row.values + position);\n  "
     "tuner::commit_copies();",
     "if (row.holds(position)) {\n    tuner::copy_async<8>(slot_of_thread(slot), row.values + position); "
     "tuner::commit_copies(); }",
     FindingKind::unwaited_copy},
    {"wait for one group too few", "STRATEGY=shared_rolling_async,BLOCKDIMX=64,PDIST=4", "rows=1,row_length=640",
     "tuner::wait_prior<PDIST - 1>();", "tuner::wait_prior<PDIST>();", FindingKind::unwaited_copy},
    {"no wait", "STRATEGY=shared_rolling_async,BLOCKDIMX=64,PDIST=4", "rows=1,row_length=640",
     "tuner::wait_prior<PDIST - 1>();", "", FindingKind::unwaited_copy},
    {"no barrier in the reduction", "", "rows=2,row_length=1000", "= of_warp;\n  __syncthreads();", "= of_warp;\n",
     FindingKind::race},
    {"a barrier that some threads do not reach", "", "rows=1,row_length=1000,sync_in_loop=1",
     "return sync_in_loop ? length + static_cast<int>(threadIdx.x) : length;", "return length;", FindingKind::deadlock},
    {"a read past the end of the input", "STRATEGY=register_rolling,PDIST=4,REGISTER_FORM=unrolled_slot",
     "rows=1,row_length=1000", "return holds(position) ? values[position] : 0.0;", "return values[position];",
     FindingKind::out_of_bounds_read},
    {"a prefetch past the end of the input", "STRATEGY=l2_prefetch,PDIST=4", "rows=1,row_length=1000",
     "if (row.holds(ahead)) ", "", FindingKind::out_of_bounds_read},
    {"a slot past the end of dynamic shared memory", "STRATEGY=shared_rolling,PDIST=4,PADDING=1",
     "rows=1,row_length=1000", "threadIdx.x * (PDIST + PADDING) + slot", "threadIdx.x * (PDIST + PADDING) + slot + 2",
     FindingKind::out_of_bounds_write},
    {"static shared memory one word short", "", "rows=1,row_length=1000", "sum_of_warp[warps];",
     "sum_of_warp[warps - 1];", FindingKind::out_of_bounds_read},
}};

const std::filesystem::path kKernel = TUNER_SOURCE_FOLDER "/kernel_sources/prefetch.cu";

KernelDescription planted(const SeededBug& bug) {
  std::string text = read_kernel_file(kKernel);
  const std::size_t at = text.find(bug.right);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(bug.right, at + 1) == std::string::npos);
  text.replace(at, bug.right.size(), bug.wrong);
  return parse_descriptions(text, kKernel).front();
}

}  // namespace

TEST_CASE("every mistake planted in prefetch is found, with its class and a line of the kernel") {
  for (const SeededBug& bug : kSeededBugs) {
    CAPTURE(bug.name);
    HostOptions options;
    options.device = known_device("H200");
    options.jobs = usable_cores();
    const HostResult result = check_on_host(std::make_shared<const KernelDescription>(planted(bug)),
                                            {{std::string(bug.configuration), {parse_problem(bug.problem)}}}, options);
    REQUIRE_GE(result.findings.size(), 1);
    CAPTURE(result.findings.front().sentence);
    CHECK_EQ(to_string(result.findings.front().kind), to_string(bug.kind));
    CHECK_EQ(result.findings.front().place.file, kKernel.string());
    CHECK_GT(result.findings.front().place.line, 100);
    CHECK(result.unchecked.empty());
  }
}

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "tests/kernel_sources/case_picks.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;

namespace {

const std::filesystem::path kRoot = TUNER_SOURCE_FOLDER;

/// The one expression in a .where file; lines that start with # are comments.
std::string expression_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  REQUIRE(stream);
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] != '#') text += line + '\n';
  }
  return text;
}

Task task(const std::string& problem, const std::vector<std::string>& where = {}) {
  return Task(load_description(kRoot / "kernel_sources/prefetch.cu"), parse_problem(problem), known_device("H200"),
              where);
}

}  // namespace

TEST_CASE("the comparison space is 708 configurations of prefetch, the baseline among them") {
  const Task comparison = task("rows=528,row_length=65536", {expression_in(kRoot / "bench/comparison_space.where")});
  CHECK_EQ(comparison.space().size(), 708);
  CHECK(comparison.baseline());
}

TEST_CASE("no two configurations of prefetch give the compiler the same macros") {
  const Task whole = task("rows=528,row_length=65536");
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < whole.space().size(); ++i) {
    std::string macros;
    for (const Macro& macro : whole.macros(whole.space().at(i))) macros += macro.name + ' ' + macro.text + '\n';
    seen.insert(macros);
  }
  CHECK_EQ(seen.size(), whole.space().size());
  CHECK_EQ(whole.space().size(), 9921);
}

TEST_CASE("a parameter that does not apply to a strategy of prefetch has one value") {
  const auto count = [](const std::string& where) { return task("rows=528,row_length=65536", {where}).space().size(); };
  CHECK_EQ(count("STRATEGY == none and (PDIST != 1 or UNROLL != 1 or PADDING != 0 or REGISTER_FORM != switch_slot)"),
           0);
  CHECK_EQ(count("STRATEGY != unrolled and UNROLL != 1"), 0);
  CHECK_EQ(count("not IN_SHARED and (PADDING != 0 or SLOT_LAYOUT != per_thread)"), 0);
  CHECK_EQ(count("not IN_REGISTERS and REGISTER_FORM != switch_slot"), 0);
  CHECK_EQ(count("SLOT_LAYOUT == interleaved and PADDING != 0"), 0);
  CHECK_EQ(count("STRATEGY != l2_prefetch and PDIST > 16"), 0);
  CHECK_EQ(count("UNROLL == 0 and SIZE_KNOWN == 0"), 0);
}

TEST_CASE("prefetch offers slots beyond 48 KB of shared memory, up to what the device gives") {
  CHECK_GT(task("rows=1,row_length=65536", {"SLOT_BYTES > 128 * 1024"}).space().size(), 0);
  const Task smaller(load_description(kRoot / "kernel_sources/prefetch.cu"), parse_problem("rows=1,row_length=65536"),
                     known_device("RTX_4090"));
  const auto most = [](const Task& task) {
    std::uint32_t bytes = 0;
    for (std::uint64_t i = 0; i < task.space().size(); ++i) {
      bytes = std::max(bytes, task.geometry(task.space().at(i)).shared_bytes);
    }
    return bytes;
  };
  CHECK_GT(most(smaller), 48 * 1024);
  CHECK_LE(most(smaller), static_cast<std::uint32_t>(smaller.device().max_shared_per_block));
}

TEST_CASE("what is run on the CPU holds every strategy, both forms, both layouts, and both kinds of loop") {
  const auto description =
      std::make_shared<const KernelDescription>(load_description(kRoot / "kernel_sources/prefetch.cu"));
  const std::vector<host::Pick> picks = host::picks_of(
      description, host::read_case_list(kRoot / "tests/kernel_sources/prefetch.cases"), known_device("H200"), false);
  CHECK_GE(picks.size(), 100);
  for (const std::string wanted :
       {"STRATEGY=none", "STRATEGY=unrolled", "STRATEGY=register_batched", "STRATEGY=shared_batched",
        "STRATEGY=register_rolling", "STRATEGY=shared_rolling", "STRATEGY=shared_rolling_async", "STRATEGY=l2_prefetch",
        "REGISTER_FORM=unrolled_slot", "SLOT_LAYOUT=interleaved", "SIZE_KNOWN=1", "UNROLL=0", "PDIST=16", "PDIST=64",
        "BLOCKDIMX=64", "BLOCKDIMX=1024"}) {
    CAPTURE(wanted);
    int with_barrier = 0, without = 0;
    for (const host::Pick& pick : picks) {
      if (("," + pick.configuration + ",").find("," + wanted + ",") == std::string::npos) continue;
      ++(pick.problems.front().at("sync_in_loop").as_integer() != 0 ? with_barrier : without);
    }
    CHECK_GT(with_barrier, 0);
    CHECK_GT(without, 0);
  }
}

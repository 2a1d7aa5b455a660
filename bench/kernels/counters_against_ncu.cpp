// Has a device worker count what the hardware does in one launch of a kernel's baseline, to be compared with ncu.
//
//   bench_counters_against_ncu names                                 what is counted, with commas
//   bench_counters_against_ncu line TABLE NAME                       for scripts: file, kernel, problem
//   bench_counters_against_ncu count FILE KERNEL PROBLEM RECORD MIB  writes and prints {counters, passes, refused}
//   bench_counters_against_ncu compare OUT OURS NCUS NAME...         the table of so many runs of each
//
// So many MIB of device memory are allocated before the worker is started.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/kernels/counters_compared.hpp"
#include "bench/kernels/records.hpp"
#include "bench/kernels/stage.hpp"
#include "bench/program.hpp"
#include "tuner/core/counters/counters.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/lanes/call.hpp"

namespace {

using namespace tuner;
using nlohmann::json;

/// A lane of its own, and one request after the other.
class Counting {
 public:
  const DeviceInfo& device() { return lane_.info(); }
  std::vector<std::string> support_sources() const { return lane_.support_sources(); }

  engine::DeviceReply ask(engine::DeviceRequest request, const char* what) {
    engine::DeviceReply reply = engine::call(lane_, std::move(request));
    if (!reply.ok())
      throw std::runtime_error(fmt::format("{} failed: {}: {}", what, to_string(reply.outcome), reply.message));
    return reply;
  }

 private:
  engine::DeviceProcessLane lane_;
};

engine::CompileReply compiled(const engine::NvrtcCompiler& compiler, const engine::CompileRequest& request) {
  engine::CompileReply reply = compiler.compile(request);
  if (reply.outcome != Outcome::ok)
    throw std::runtime_error(fmt::format("{} does not compile: {}", request.file_name, reply.message));
  return reply;
}

/// As bench_launch_one has it: the same seed, the timing with a cold cache, and so the same buffers.
engine::PrepareProblem problem_of(const Task& task, const engine::NvrtcCompiler& compiler, Counting& counting) {
  engine::PrepareProblem problem;
  problem.arguments = task.arguments_with_data();
  problem.launch_timeout = std::chrono::seconds(10);
  for (const std::string& source : counting.support_sources()) {
    const auto request = engine::support_request(source, task.device().architecture());
    problem.support_cubins.push_back(compiled(compiler, request).cubin.bytes);
  }
  return problem;
}

engine::Candidate baseline_of(const Task& task, const engine::NvrtcCompiler& compiler) {
  const search::Configuration baseline = task.space().parse("");
  engine::CompileReply reply = compiled(compiler, engine::compile_request(task, baseline));
  return {.configuration = task.space().text(baseline),
          .cubin = std::move(reply.cubin),
          .parameters = std::move(reply.parameters),
          .geometry = task.geometry(baseline),
          .scratch_lengths = task.scratch_lengths(baseline)};
}

int count(const std::string& file, const std::string& kernel, const std::string& problem, const std::string& record,
          const std::string& mebibytes) {
  bench::use_first_gpu();
  const engine::DeviceMemory occupied = bench::occupy(mebibytes);
  Counting counting;
  const engine::NvrtcCompiler compiler({});
  const Task task(load_description(file, kernel), parse_problem(problem), counting.device(), {}, {},
                  search::Listing::when_needed);
  counting.ask(problem_of(task, compiler, counting), "Preparing the problem");
  const engine::CountCandidate request{baseline_of(task, compiler), {counter_names().begin(), counter_names().end()}};
  const auto before = std::chrono::steady_clock::now();
  const engine::DeviceReply reply = counting.ask(request, "Counting");
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
  const engine::CountResult& result = reply.result_of<engine::CountCandidate>();
  json written{{"passes", result.passes}, {"refused", result.refused}, {"milliseconds", took.count()}};
  written["counters"] = json::object();
  for (const auto& [name, value] : result.counters) written["counters"][name] = value;
  bench::write_record(record, written);
  fmt::print("{}: {} counters in {} passes and {:.0f} ms{}{}\n", task.description().kernel, result.counters.size(),
             result.passes, took.count(), result.refused.empty() ? "" : ". ", result.refused);
  return result.counters.empty() ? 1 : 0;
}

int run(const std::vector<std::string>& words) {
  const auto is = [&](const char* command, std::size_t least, std::size_t most) {
    return !words.empty() && words[0] == command && words.size() > least && words.size() <= most + 1;
  };
  if (is("names", 0, 0)) {
    fmt::print("{}\n", fmt::join(counter_names(), ","));
    return 0;
  }
  if (is("line", 2, 2)) {
    const bench::BenchProblem problem = bench::find_problem(words[1], words[2]);
    const KernelDescription description = load_description(problem.file, problem.kernel);
    fmt::print("{}\t{}\t{}\n", problem.file.string(), description.kernel, problem.problem);
    return 0;
  }
  if (is("count", 5, 5)) return count(words[1], words[2], words[3], words[4], words[5]);
  if (is("compare", 4, 1000)) {
    const bench::RunsOfEach runs{std::stoi(words[2]), std::stoi(words[3])};
    return bench::compare_with_ncu(words[1], {words.begin() + 4, words.end()}, runs);
  }
  throw std::runtime_error(
      "usage: bench_counters_against_ncu names | line TABLE NAME | count FILE KERNEL PROBLEM RECORD MIB | compare OUT "
      "OURS NCUS NAME...");
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_counters_against_ncu", [&] { return run({argv + 1, argv + argc}); });
}

// The sections of bench/gpu_kernels.sh that need no process with a context of its own. Each call does one piece of
// work.
//
//   bench_kernels list TABLE                 the names of its problems
//   bench_kernels tune|tenfold OUT TABLE NAME
//   bench_kernels study|curve OUT TABLE FILE
//   bench_kernels report OUT TABLE
//   bench_kernels winner OUT NAME            for scripts: file, kernel, problem, baseline, winner
//   bench_kernels counters                   the metrics that are counted, and the heading of their table
//   bench_kernels counted OUT NAME VERSION   takes over what the profiler counted
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/kernels/sections.hpp"
#include "bench/program.hpp"

namespace {

using namespace tuner::bench;

int run(const std::vector<std::string>& arguments) {
  const auto is = [&](const char* section, std::size_t count) {
    return arguments.size() == count + 1 && arguments[0] == section;
  };
  if (is("list", 1)) {
    for (const BenchProblem& problem : read_table(arguments[1])) fmt::print("{}\n", problem.name);
    return 0;
  }
  if (is("tune", 3)) return tune_problem(arguments[1], find_problem(arguments[2], arguments[3]));
  if (is("tenfold", 3)) return run_tenfold(arguments[1], find_problem(arguments[2], arguments[3]));
  if (is("study", 3)) return run_study(arguments[1], arguments[3], arguments[2]);
  if (is("curve", 3)) return run_curve(arguments[1], arguments[3], arguments[2]);
  if (is("report", 2)) return write_report(arguments[1], arguments[2]);
  if (is("winner", 2)) return print_winner(arguments[1], arguments[2]);
  if (is("counters", 0)) {
    fmt::print("{}\n{}", counter_names(), counters_heading());
    return 0;
  }
  if (is("counted", 3)) return take_counters(arguments[1], arguments[2], arguments[3]);
  throw std::runtime_error(
      "usage: bench_kernels list TABLE | tune|tenfold OUT TABLE NAME | study|curve OUT TABLE FILE | report OUT TABLE | "
      "winner OUT NAME | counters | counted OUT NAME VERSION");
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_kernels", [&] { return run({argv + 1, argv + argc}); });
}

// An application with many sizes: what its first requests cost, by the rung that answers them, and how long all its
// kernels take. Run it with TUNER_WANTED=1, tune what it missed, and run it again.
//
//   bench_runtime_many KERNEL_FILE PROBLEMS LAUNCHES
//
// PROBLEMS is a file with one problem a line. The database is that of TUNER_DB.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/program.hpp"
#include "bench/runtime/application.hpp"
#include "bench/runtime/figures.hpp"
#include "bench/runtime/load.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

struct ByRung {
  std::vector<double> request_us, launch_us;
  double kernels_ms = 0;  ///< one launch of each size, median
};

void meet(const Kernel& kernel, const bench::ApplicationText& text, CUstream stream, int launches,
          std::map<std::string, ByRung>& rungs) {
  const bench::Arguments arguments(text.arguments);
  const std::vector<ProblemValue> values = bench::problem_values(text.problem);
  const auto asked = Clock::now();
  const Instance& instance = kernel.request(values);
  const double request_us = Microseconds(Clock::now() - asked).count();
  ByRung& rung = rungs[std::string(to_string(instance.rung()))];
  rung.request_us.push_back(request_us);
  bench::require(arguments.launch(instance, stream));
  bench::drain(stream);
  const auto begin = Clock::now();
  for (int i = 0; i < launches; ++i) bench::require(arguments.launch(instance, stream));
  rung.launch_us.push_back(Microseconds(Clock::now() - begin).count() / launches);
  bench::drain(stream);
  const std::vector<double> milliseconds =
      bench::time_alternately(
          stream, launches, [&] { bench::require(arguments.launch(instance, stream)); }, [] {})
          .first;
  rung.kernels_ms += bench::quantile(milliseconds, 0.5);
}

void run(const char* file, const char* problems, int launches) {
  std::vector<bench::ApplicationText> texts;
  std::ifstream in(problems);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) texts.push_back(bench::describe_application(file, line));
  }
  bench::use_primary_context();
  const CUstream stream = bench::make_stream();
  std::map<std::string, ByRung> rungs;
  const auto start = Clock::now();
  {
    Runtime runtime({.mode = Mode::cache});
    const Kernel kernel = runtime.kernel(Description::from_file(file));
    for (const bench::ApplicationText& text : texts) meet(kernel, text, stream, launches, rungs);
  }
  fmt::print("{} sizes, {:.1f} s in all\n", texts.size(), std::chrono::duration<double>(Clock::now() - start).count());
  double all = 0;
  for (const auto& [name, rung] : rungs) {
    all += rung.kernels_ms;
    bench::print_figure(fmt::format("{}: sizes", name), static_cast<double>(rung.request_us.size()), "");
    bench::print_figure(fmt::format("{}: first request, median", name), bench::quantile(rung.request_us, 0.5), "us");
    bench::print_figure(fmt::format("{}: launch, median", name), bench::quantile(rung.launch_us, 0.5), "us");
  }
  bench::print_figure("one launch of every size, kernels together", all, "ms");
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_many", [&] {
    if (argc != 4) throw std::runtime_error("usage: bench_runtime_many KERNEL_FILE PROBLEMS LAUNCHES");
    run(argv[1], argv[2], std::atoi(argv[3]));
  });
}

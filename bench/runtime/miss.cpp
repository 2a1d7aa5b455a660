// A kernel that nobody has tuned, asked for by new processes that have a context, each with an empty database: how long
// until its baseline is launched, the start of engine and compiler included; and the same in mode background.
//
//   bench_runtime_miss PROCESSES KERNEL_FILE PROBLEM
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/runtime/application.hpp"
#include "bench/runtime/child.hpp"
#include "bench/runtime/figures.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;

/// Prints milliseconds: the request, and all until the launch returned.
void meet_a_miss(Mode mode, const char* folder, const char* file, const char* problem, const char* arguments_text) {
  bench::use_primary_context();
  const CUstream stream = bench::make_stream();
  const bench::Arguments arguments(arguments_text);
  const std::vector<ProblemValue> values = bench::problem_values(problem);

  const auto start = Clock::now();
  Runtime runtime({.mode = mode, .database = folder});
  const Kernel kernel = runtime.kernel(Description::from_file(file));
  const auto asked = Clock::now();
  const Instance& instance = kernel.request(values);
  const auto answered = Clock::now();
  const LaunchStatus launched = arguments.launch(instance, stream);
  const auto end = Clock::now();

  if (instance.rung() != Rung::baseline) throw std::runtime_error("no baseline: " + instance.provenance().why);
  bench::require(launched);
  bench::drain(stream);
  using Milliseconds = std::chrono::duration<double, std::milli>;
  fmt::print("{} {}\n", Milliseconds(answered - asked).count(), Milliseconds(end - start).count());
}

struct Times {
  std::vector<double> request, all;
};

void add(Times& times, const char* mode, const char* file, const bench::ApplicationText& text) {
  const bench::ScratchFolder scratch;
  bench::Child child({mode, scratch.path().string(), file, text.problem, text.arguments});
  const std::vector<std::string> words = bench::words(child.finish());
  times.request.push_back(std::stod(words.at(0)));
  times.all.push_back(std::stod(words.at(1)));
}

void measure(int processes, const char* file, const char* problem) {
  const bench::ApplicationText text = bench::describe_application(file, problem);
  Times cache, background;
  for (int i = 0; i < processes; ++i) {
    add(cache, "cache", file, text);
    add(background, "background", file, text);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // its engine and workers end
  }
  fmt::print("milliseconds, process by process, Runtime to first launch:\n");
  for (std::size_t i = 0; i < cache.all.size(); ++i)
    fmt::print("  cache {:7.1f}  background {:7.1f}\n", cache.all[i], background.all[i]);
  const std::string title = fmt::format("miss, {} new processes", processes);
  bench::print_figure(title + ", cache, Runtime to first launch, median", bench::quantile(cache.all, 0.5), "ms",
                      {.at_most = 250});
  bench::print_figure(title + ", cache, Runtime to first launch, most", bench::quantile(cache.all, 1), "ms",
                      {.at_most = 250});
  bench::print_figure(title + ", background, Runtime to first launch, median", bench::quantile(background.all, 0.5),
                      "ms");
  bench::print_figure(title + ", request in background beyond cache, median",
                      bench::quantile(background.request, 0.5) - bench::quantile(cache.request, 0.5), "ms",
                      {.at_most = 5});
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_miss", [&] {
    const std::string role = argc > 1 ? argv[1] : "";
    if ((role == "cache" || role == "background") && argc == 6) {
      meet_a_miss(role == "cache" ? Mode::cache : Mode::background, argv[2], argv[3], argv[4], argv[5]);
    } else if (argc == 4) {
      bench::forget_settings();
      measure(std::atoi(argv[1]), argv[2], argv[3]);
    } else {
      throw std::runtime_error("usage: bench_runtime_miss PROCESSES KERNEL_FILE PROBLEM");
    }
  });
}

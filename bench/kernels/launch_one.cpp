// Launches one configuration of a kernel, for a profiler to look at.
//
//   bench_launch_one FILE [--kernel NAME] [--problem A=1,B=2] [--config C=3,D=4] [--launches N]
//
// What --config leaves out is at its default. Twice by default: what the first launch does to caches, and to pages that
// nobody has touched, should not be looked at. Outputs are not checked.
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/kernels/stage.hpp"
#include "bench/program.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"

namespace {

using namespace tuner;

struct Arguments {
  std::string file, kernel, problem, configuration;
  int launches = 2;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      arguments.file = word;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error(fmt::format("{} needs a value", word));
    const char* value = argv[++i];
    if (word == "--kernel") {
      arguments.kernel = value;
    } else if (word == "--problem") {
      arguments.problem = value;
    } else if (word == "--config") {
      arguments.configuration = value;
    } else if (word == "--launches") {
      arguments.launches = std::atoi(value);
    } else {
      throw std::runtime_error(fmt::format("there is no option {}", word));
    }
  }
  if (arguments.file.empty())
    throw std::runtime_error("usage: bench_launch_one FILE [--kernel K] [--problem P] [--config C] [--launches N]");
  return arguments;
}

void run(const Arguments& arguments) {
  const DeviceInfo device = bench::use_first_gpu();
  const Task task(load_description(arguments.file, arguments.kernel), parse_problem(arguments.problem), device, {}, {},
                  search::Listing::when_needed);
  bench::Stage stage(task);
  const engine::LoadedKernel kernel = stage.load(arguments.configuration);
  bench::ColdTimer timer(device, stage.stream());
  for (int i = 0; i < arguments.launches; ++i) {
    stage.restore();
    fmt::print("{:.2f} us\n", timer.sample([&] { stage.launch(kernel); }) / 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_launch_one", [&] { run(parse(argc, argv)); });
}

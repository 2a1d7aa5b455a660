// Launches one configuration of a kernel, for a profiler to look at.
//
//   bench_launch_one FILE KERNEL PROBLEM CONFIGURATION [LAUNCHES [MIB]]
//
// What CONFIGURATION leaves out is at its default. Launches once more than LAUNCHES, of which there is one if it is not
// said: what the first launch does to caches, and to pages that have not been touched, should not be measured. So many
// MIB of device memory are allocated before the kernel's buffers. Outputs are not checked.
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/kernels/stage.hpp"
#include "bench/program.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"

namespace {

using namespace tuner;

void run(const std::vector<std::string>& words) {
  if (words.size() < 4 || words.size() > 6)
    throw std::runtime_error("usage: bench_launch_one FILE KERNEL PROBLEM CONFIGURATION [LAUNCHES [MIB]]");
  const int launches = words.size() > 4 ? std::stoi(words[4]) : 1;
  const DeviceInfo device = bench::use_first_gpu();
  const engine::DeviceMemory occupied = bench::occupy(words.size() > 5 ? words[5] : "");
  const Task task(load_description(words[0], words[1]), parse_problem(words[2]), device, {}, {},
                  search::Listing::when_needed);
  bench::Stage stage(task);
  const engine::LoadedKernel kernel = stage.load(words[3]);
  bench::ColdTimer timer(device, stage.stream());
  for (int i = 0; i <= launches; ++i) {
    stage.restore();
    fmt::print("{:.2f} us\n", timer.sample([&] { stage.launch(kernel); }) / 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_launch_one", [&] { run({argv + 1, argv + argc}); });
}

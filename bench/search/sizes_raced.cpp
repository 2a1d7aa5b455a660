// Times the configurations of a matrix side by side on each of its problems, on the GPU at hand, and prints the matrix
// with these times.
//
//   bench_search_sizes_raced KERNEL_FILE MATRIX [MIB]
//
// What a session measures of a few microseconds has 2 to 3 % of chance in it, and the shortest of many such times is
// chosen for its luck: what a choice loses cannot be told from that. Here all take turns, over kBlocks blocks or as
// many as kLimit allows, which are then named on standard error. So many MIB of device memory are allocated before the
// worker is started: where buffers lie in physical memory matters, and bench_search_sizes takes the mean over several
// such matrices.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/kernels/stage.hpp"
#include "bench/program.hpp"
#include "bench/search/size_matrix.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/engine/comparison/side_by_side.hpp"
#include "tuner/engine/workplace/workplace.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {
namespace {

constexpr std::size_t kBlocks = 30;
constexpr std::chrono::seconds kLimit{5};  // for the blocks of a problem

/// With workers of its own, so that buffers of other problems leave nothing behind.
std::vector<std::optional<double>> race(const Task& task, const std::vector<std::string>& configurations) {
  const std::atomic<bool> stop = false;
  engine::Observer observer;
  engine::Workplace workplace(0, {}, observer, stop);
  const engine::SessionOptions options;
  const engine::SessionParts parts = workplace.parts();
  if (!workplace.take_turn(task)) throw Error(Errc::device_lost, "The GPU's turn was not granted.");
  engine::SideBySide side_by_side(task, options, parts);
  std::vector<engine::SideBySide::NewContestant> contestants;
  std::vector<std::size_t> columns;  ///< of the contestants
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const search::Configuration configuration = task.space().parse(configurations[i]);
    if (!task.accepts(configuration)) continue;
    contestants.push_back({&task, configuration});
    columns.push_back(i);
  }
  std::vector<std::size_t> running = side_by_side.add(contestants);
  std::map<std::size_t, std::size_t> column_of;
  for (std::size_t i = 0; i < running.size(); ++i) column_of[running[i]] = columns[i];
  const auto failed = [&](std::size_t contestant) { return side_by_side[contestant].failure.has_value(); };
  std::erase_if(running, failed);
  std::vector<std::optional<double>> times_ns(configurations.size());
  if (running.empty()) return times_ns;
  const auto blocks = [&] {
    return side_by_side.race(
        running, [](const engine::Panel& panel) { return panel.blocks() >= kBlocks; },
        std::chrono::steady_clock::now() + kLimit);
  };
  engine::Panel panel = blocks();
  // One that fails ends the race: the others run again without it.
  while (std::erase_if(running, failed) > 0 && !running.empty()) panel = blocks();
  if (panel.blocks() < kBlocks) fmt::print(stderr, "{}: {} blocks\n", problem_text(task.problem()), panel.blocks());
  if (panel.blocks() == 0) return times_ns;
  constexpr engine::EntrantId kFirst{0};
  for (std::size_t i = 0; i < running.size(); ++i)
    times_ns[column_of[running[i]]] = panel.median_ns(kFirst) * panel.ratio(engine::EntrantId{i}, kFirst).ratio;
  return times_ns;
}

int run(const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > 3) {
    fmt::print(stderr, "usage: bench_search_sizes_raced KERNEL_FILE MATRIX [MIB]\n");
    return 2;
  }
  const DeviceInfo device = use_first_gpu();
  const engine::DeviceMemory occupied = occupy(words.size() > 2 ? words[2] : "");
  const auto kernel = std::make_shared<const KernelDescription>(load_description(words[0], "", [](const auto&) {}));
  const SizeMatrix matrix = read_size_matrix(words[1]);
  print_configurations(matrix);
  for (const std::string& problem : matrix.problems) {
    const Task task(kernel, parse_problem(problem), device, {}, {}, search::Listing::when_needed);
    print_row(problem, race(task, matrix.configurations));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace tuner::bench

int main(int count, char** words) {
  return tuner::bench::run_program("bench_search_sizes_raced", [&] {
    return tuner::bench::run({words + 1, words + count});
  });
}

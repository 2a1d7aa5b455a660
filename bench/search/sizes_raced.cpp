// Times the configurations of a matrix side by side on each of its problems, on the GPU at hand, and prints the matrix
// with these times.
//
//   bench_search_sizes_raced KERNEL_FILE MATRIX [MIB]
//
// What a session measures of a few microseconds has 2 to 3 % of chance in it, and the shortest of many such times is
// chosen for its luck: what a choice loses cannot be told from that. Here all take turns, over kBlocks blocks. So many
// MIB of device memory are allocated before the worker is started: where buffers lie in physical memory matters, and
// bench_search_sizes takes the mean over several such matrices.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <memory>

#include "bench/kernels/stage.hpp"
#include "bench/program.hpp"
#include "bench/search/size_matrix.hpp"
#include "tuner/cli/workplace.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/engine/comparison/side_by_side.hpp"

namespace tuner::bench {
namespace {

constexpr std::size_t kBlocks = 30;
constexpr std::chrono::seconds kLimit{5};  // for the blocks of a problem

std::vector<std::optional<double>> race(const Task& task, const std::vector<std::string>& configurations) {
  const std::atomic<bool> stop = false;
  cli::Workplace workplace(0, {}, stop);
  const engine::SessionOptions options;
  const engine::SessionParts parts = workplace.parts();
  if (!workplace.take_turn(task)) return {};
  engine::SideBySide side_by_side(task, options, parts);
  std::vector<engine::SideBySide::Wanted> wanted;
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const search::Configuration configuration = task.space().parse(configurations[i]);
    if (!task.accepts(configuration)) continue;
    wanted.push_back({&task, configuration});
    columns.push_back(i);
  }
  std::vector<std::size_t> running, columns_running;
  const std::vector<std::size_t> added = side_by_side.add(wanted);
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (side_by_side[added[i]].failure) continue;
    running.push_back(added[i]);
    columns_running.push_back(columns[i]);
  }
  std::vector<std::optional<double>> times_ns(configurations.size());
  if (running.empty()) return times_ns;
  const engine::Panel panel = side_by_side.race(
      running, [](const engine::Panel& blocks) { return blocks.blocks() >= kBlocks; },
      std::chrono::steady_clock::now() + kLimit);
  constexpr engine::EntrantId kFirst{0};
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (side_by_side[running[i]].failure || panel.blocks() == 0) continue;
    times_ns[columns_running[i]] =
        panel.median_ns(kFirst) * (i == 0 ? 1 : panel.ratio(engine::EntrantId{i}, kFirst).ratio);
  }
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

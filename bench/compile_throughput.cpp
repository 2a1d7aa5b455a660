// Compiles the 708 configurations of comparison_space.where with pools of several sizes and prints a markdown table.
// Needs NVRTC, no GPU. Small pools compile every k-th configuration, so that no row takes long.
//
//   bench_compile_throughput [WORKERS...]      in the source folder
//
// Rows that differ only in the built-in functions that are compiled follow each other directly, so that they meet the
// same machine.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "bench/engine/laboratory.hpp"
#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/lanes/wait.hpp"

namespace {

using namespace tuner;
using namespace tuner::engine;
using Clock = std::chrono::steady_clock;

constexpr double kSeconds = 15;            // of a row
constexpr double kExpectedPerSecond = 10;  // of one worker, to choose how many configurations a row compiles

struct Row {
  int workers = 0;
  Builtins builtins = Builtins::all;
  std::size_t configurations = 0, failed = 0;
  double seconds = 0;     // first submission to last answer, the start-up of the pool included
  double first_ms = 0;    // until the first answer
  double cpu_ms = 0;      // user and system, of all processes of the pool, by configuration
  double system_ms = 0;   // of that
  double busy_share = 0;  // of the workers, from the first answer to the last submission
  double rate() const { return static_cast<double>(configurations) / seconds; }
};

// What a session on an H200 would have compiled, in the order of an exhaustive search.
std::vector<CompileRequest> requests() {
  const Task task = bench::make_task("kernel_sources/prefetch.cu", "rows=528,row_length=65536",
                                     {bench::read_expression("bench/comparison_space.where")}, known_device("H200"));
  std::vector<CompileRequest> result;
  for (std::uint64_t i = 0; i < task.space().size(); ++i) result.push_back(compile_request(task, task.space().at(i)));
  return result;
}

double milliseconds(const timeval& time) {
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
}

double busy_ms(const CompilePool& pool) {
  const std::vector<double> busy = pool.statistics().busy_ms;
  return std::accumulate(busy.begin(), busy.end(), 0.0);
}

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// `binaries` collects the hash of every configuration's binary.
Row compile(const std::vector<CompileRequest>& all, int workers, Builtins builtins,
            std::map<std::string, std::set<std::string>>& binaries) {
  const double wanted = std::max(1.0, workers * kSeconds * kExpectedPerSecond);
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::ceil(static_cast<double>(all.size()) / wanted)));
  Row row{workers, builtins};
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  {
    CompilePoolOptions options;
    options.workers = workers;
    options.architecture = all.front().architecture;
    options.builtins = builtins;
    const auto start = Clock::now();
    CompilePool pool(options);
    double busy_at_first = 0, busy_at_last = 0, last_submitted_ms = 0;
    for (std::size_t next = 0, submitted = 0; next < all.size() || row.configurations < submitted;) {
      for (; next < all.size() && pool.room() > 0; next += stride, ++submitted) {
        pool.submit(next, all[next]);
        last_submitted_ms = since(start);
        busy_at_last = busy_ms(pool);
      }
      wait_for(Clock::now() + std::chrono::seconds(1), pool);
      for (const CompilePool::Completion& completion : pool.poll()) {
        if (row.configurations++ == 0) {
          row.first_ms = since(start);
          busy_at_first = busy_ms(pool);
        }
        if (completion.reply.outcome != Outcome::ok) ++row.failed;
        binaries[all[completion.ticket].configuration].insert(completion.reply.facts.binary_hash.text);
      }
    }
    row.seconds = since(start) / 1000;
    if (last_submitted_ms > row.first_ms)
      row.busy_share = (busy_at_last - busy_at_first) / (last_submitted_ms - row.first_ms) / workers;
  }
  getrusage(RUSAGE_CHILDREN, &after);  // the helper has collected its workers, and this process the helper
  const auto count = static_cast<double>(row.configurations);
  row.system_ms = (milliseconds(after.ru_stime) - milliseconds(before.ru_stime)) / count;
  row.cpu_ms = row.system_ms + (milliseconds(after.ru_utime) - milliseconds(before.ru_utime)) / count;
  return row;
}

void print(const std::vector<Row>& rows) {
  fmt::print(
      "| workers | builtins | configurations | seconds | configurations/s | CPU ms a compile (of that system) | "
      "speed-up "
      "| busy workers | first answer, ms |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    // Over the first row of its kind: the smallest pool, unless the arguments say otherwise.
    const auto first =
        std::find_if(rows.begin(), rows.end(), [&](const Row& other) { return other.builtins == row.builtins; });
    fmt::print("| {} | {} | {} | {:.2f} | {:.1f} | {:.1f} ({:.1f}) | {:.2f} | {:.1f} % | {:.0f} |\n", row.workers,
               row.builtins == Builtins::all ? "all" : "small_first", row.configurations, row.seconds, row.rate(),
               row.cpu_ms, row.system_ms, row.rate() / first->rate(), 100 * row.busy_share, row.first_ms);
  }
}

int run(std::vector<int> workers) {
  if (workers.empty()) workers = {1, 2, 4, 8, 15};
  const std::vector<CompileRequest> all = requests();
  std::vector<Row> rows;
  std::map<std::string, std::set<std::string>> binaries;
  for (const int count : workers) {
    for (const Builtins builtins : {Builtins::all, Builtins::small_first})
      rows.push_back(compile(all, std::max(1, count), builtins, binaries));
  }
  print(rows);
  const auto differing =
      std::count_if(binaries.begin(), binaries.end(), [](const auto& entry) { return entry.second.size() > 1; });
  const std::size_t failed = std::accumulate(rows.begin(), rows.end(), std::size_t{0},
                                             [](std::size_t sum, const Row& row) { return sum + row.failed; });
  fmt::print("\n{} configurations compiled, {} of them to different binaries in different rows; {} compiles failed.\n",
             binaries.size(), differing, failed);
  return differing == 0 && failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_compile_throughput", [&] {
    std::vector<int> workers;
    for (int i = 1; i < argc; ++i) workers.push_back(std::atoi(argv[i]));
    return run(std::move(workers));
  });
}

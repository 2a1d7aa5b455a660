// What a request costs that was made before: cycling over 64 problem sizes, in one thread and in sixteen, with the
// current context and with a device that was named.
//
//   bench_runtime_request KERNEL_FILE PROBLEM SIZE WHERE...
//
// SIZE is the property that varies: every size is `near` its value in PROBLEM, which is tuned.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/runtime/application.hpp"
#include "bench/runtime/child.hpp"
#include "bench/runtime/database.hpp"
#include "bench/runtime/figures.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSizes = 64;
constexpr int kTurns = 20, kBlocksInTurn = 500, kRoundsInBlock = 20;
constexpr int kThreads = 16;
using Problems = std::vector<std::vector<ProblemValue>>;

Problems all_problems(const char* file, const char* problem, const std::string& size) {
  const std::vector<ProblemValue> tuned = bench::problem_values(bench::describe_application(file, problem).problem);
  const std::vector<std::string> names = Description::from_file(file).problem_properties();
  const auto varied = static_cast<std::size_t>(std::find(names.begin(), names.end(), size) - names.begin());
  if (varied == names.size()) throw std::runtime_error("the kernel has no problem property " + size);
  Problems problems(kSizes, tuned);
  for (std::size_t i = 0; i < kSizes; ++i) problems[i][varied] = tuned[varied].integer() - static_cast<std::int64_t>(i);
  return problems;
}

/// The compiler must not know that nobody looks at the answers.
void use(const Instance& instance) {
  asm volatile("" : : "r"(&instance) : "memory");
}

std::size_t run_rounds(const Kernel& kernel, const Problems& problems, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (const std::vector<ProblemValue>& problem : problems) use(kernel.request(problem));
  }
  return static_cast<std::size_t>(rounds) * problems.size();
}

void time_blocks(const Kernel& kernel, const Problems& problems, std::vector<double>& nanoseconds) {
  for (int block = 0; block < kBlocksInTurn; ++block) {
    const auto start = Clock::now();
    const std::size_t requests = run_rounds(kernel, problems, kRoundsInBlock);
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    nanoseconds.push_back(time.count() / static_cast<double>(requests));
  }
}

/// All threads at once for a second.
double requests_a_second(const Kernel& kernel, const Problems& problems, CUcontext context) {
  std::barrier together(kThreads + 1);
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> requests{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      bench::require(bench::bare_driver().set_context(context), "cuCtxSetCurrent");
      run_rounds(kernel, problems, 1);
      together.arrive_and_wait();
      std::size_t mine = 0;
      while (!stop.load(std::memory_order_relaxed)) mine += run_rounds(kernel, problems, kRoundsInBlock);
      requests += mine;
    });
  }
  together.arrive_and_wait();
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  stop = true;
  threads.clear();
  return static_cast<double>(requests) / std::chrono::duration<double>(Clock::now() - start).count();
}

/// One way of asking: a runtime that has answered each problem once.
class Asked {
 public:
  Asked(std::string title, RuntimeOptions options, const std::filesystem::path& file, const Problems& problems)
      : title_(std::move(title)), runtime_(std::move(options)), kernel_(runtime_.kernel(Description::from_file(file))) {
    std::array<int, 6> rungs{};
    const auto start = Clock::now();
    for (const std::vector<ProblemValue>& problem : problems)
      ++rungs[static_cast<std::size_t>(kernel_.request(problem).rung())];
    const std::chrono::duration<double, std::milli> first = Clock::now() - start;
    fmt::print("{}: the first {} requests took {:.1f} ms; {} exact, {} near, {} baseline, {} unrunnable\n", title_,
               kSizes, first.count(), rungs[0], rungs[1], rungs[3], rungs[5]);
    const Provenance second = kernel_.request(problems[1]).provenance();
    fmt::print("  the second: {}, {}\n", to_string(second.rung), second.why);
    if (rungs[5] != 0) throw std::runtime_error("a size cannot be launched");
  }

  void time(const Problems& problems) { time_blocks(kernel_, problems, blocks_); }

  void print(const Problems& problems, CUcontext context) const {
    const auto block = [&](std::string_view name, double share) {
      bench::print_figure(fmt::format("{}, one thread, {} of blocks", title_, name), bench::quantile(blocks_, share),
                          "ns", {.at_most = 100});
    };
    block("p5", 0.05);
    block("median", 0.5);
    block("p99", 0.99);
    bench::print_figure(fmt::format("{}, {} threads", title_, kThreads),
                        requests_a_second(kernel_, problems, context) / 1e6, "million a second", {.at_least = 50});
  }

 private:
  std::string title_;
  Runtime runtime_;
  Kernel kernel_;
  std::vector<double> blocks_;
};

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_request", [&] {
    if (argc < 4) throw std::runtime_error("usage: bench_runtime_request KERNEL_FILE PROBLEM SIZE WHERE...");
    bench::forget_settings();
    const bench::ScratchFolder scratch;
    bench::tune_offline(scratch.path(), argv[1], argv[2], {argv + 4, argv + argc});
    const Problems problems = all_problems(argv[1], argv[2], argv[3]);
    const CUcontext context = bench::use_primary_context();
    Asked current("request, current context", {.database = scratch.path()}, argv[1], problems);
    Asked named("request, named device", {.device = 0, .database = scratch.path()}, argv[1], problems);
    // In turns, over seconds: a core's clock changes by half from one tenth of a second to the next.
    for (int turn = 0; turn < kTurns; ++turn) {
      current.time(problems);
      named.time(problems);
    }
    current.print(problems, context);
    named.print(problems, context);
  });
}

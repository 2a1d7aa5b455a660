// An application launches its kernel and looks at every result, while candidates that fault and that never end are
// tuned for it in the background.
//
//   bench_runtime_faults LAUNCHES KERNEL_FILE      (bench/runtime/faulty.cu)
//
// Ends with 1 if a result was wrong or the application's context is broken at the end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/runtime/application.hpp"
#include "bench/runtime/child.hpp"
#include "bench/runtime/figures.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/tuner.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;

constexpr int kElements = 100003;
constexpr std::chrono::minutes kPatience(8);

class Application {
 public:
  /// Launches once and looks at every element of the result. Throws if the launch fails.
  bool launch_and_check(const Instance& instance) {
    doubled_.fill(0xff, stream_);
    bench::require(instance.launch(stream_, values_.as<const double>(), doubled_.as<double>(), counts_.as<int>(),
                                   tuner::scratch, kElements));
    const auto found = doubled_.read<double>(stream_);
    return std::equal(found.begin(), found.end(), input_.begin(), [](double y, double x) { return y == 2 * x; });
  }

 private:
  CUcontext context_ = bench::use_primary_context();
  CUstream stream_ = bench::make_stream();
  bench::Buffer values_{kElements * sizeof(double)}, doubled_{kElements * sizeof(double)};
  bench::Buffer counts_{kElements * sizeof(int)};
  std::vector<double> input_ = values_.read<double>(stream_);
};

void print_outcomes(const std::filesystem::path& folder) {
  const auto store = cache::SqliteStore::open({.path = folder / "decisions.db", .access = cache::Access::read_only});
  std::map<std::string, int> outcomes;
  for (const cache::DecisionKey& key : store->list_keys({})) {
    for (const cache::Trial& trial : store->find_trials(key)) ++outcomes[std::string(to_string(trial.outcome))];
  }
  fmt::print("trials:");
  for (const auto& [outcome, count] : outcomes) fmt::print(" {} {},", count, outcome);
  fmt::print(" {} decision\n", store->list_decisions({}).size());
}

int measure(int wanted, const char* file) {
  const bench::ScratchFolder scratch;
  Application application;
  Runtime runtime({.mode = Mode::background,
                   .database = scratch.path(),
                   .background_share = 0.5,
                   .swap_threshold = 1.0,
                   .observer = [](const Notice& notice) { fmt::print("  notice: {}\n", notice.sentence); }});
  const Kernel kernel = runtime.kernel(Description::from_file(file));
  const Instance& instance = kernel.request({kElements});
  fmt::print("in use at first: {}, {}\n", to_string(instance.rung()), instance.provenance().why);

  int launches = 0, wrong = 0, while_tuning = 0;
  const auto start = Clock::now();
  for (bool tuning = true; (tuning || launches < wanted) && Clock::now() - start < kPatience; ++launches) {
    if (tuning) tuning = !runtime.wait_for_tuning(std::chrono::milliseconds(0));
    if (tuning) ++while_tuning;
    if (!application.launch_and_check(instance)) ++wrong;
  }
  const std::chrono::duration<double> time = Clock::now() - start;
  fmt::print("{} launches in {:.1f} s, {} of them while tuning; in use at the end: {}, {}\n", launches, time.count(),
             while_tuning, to_string(instance.rung()), instance.provenance().configuration);
  print_outcomes(scratch.path());
  bench::print_figure("checked launches while candidates fault and hang", while_tuning, "launches",
                      {.at_least = static_cast<double>(wanted)});
  bench::print_figure("of them wrong or failed", wrong, "launches", {.at_most = 0});
  // The context: a last launch, checked, and new memory.
  const bench::Buffer more(1 << 20);
  const bool healthy = application.launch_and_check(instance);
  bench::print_figure("context healthy at the end (1: yes)", healthy ? 1 : 0, "", {.at_least = 1});
  return wrong == 0 && healthy ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_faults", [&] {
    if (argc != 3) throw std::runtime_error("usage: bench_runtime_faults LAUNCHES KERNEL_FILE");
    bench::forget_settings();
    return measure(std::atoi(argv[1]), argv[2]);
  });
}

// Hundreds of candidates that end badly, in every way there is, and the same session without them.
//
//   bench_faults KERNEL_FILE PROBLEM      (tests/gpu/kernels/every_fault.cu, or one with parameters FAULT and VARIANT)
//
// Prints what became of every FAULT, whether the winner is the one found without them, and what each lost device worker
// cost. Ends with 1 if a row is missing or the winner is another one.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/engine/laboratory.hpp"
#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/engine/session/session.hpp"

namespace {

using namespace tuner;

struct Session {
  TuneReport report;
  std::vector<cache::Trial> trials;
  engine::DeviceLaneStatistics device;
};

Session run_session(const char* file, const char* problem, const std::vector<std::string>& where) {
  engine::CompilePoolOptions compiling;
  compiling.timeout = std::chrono::milliseconds(1500);
  engine::CompilePool compile(compiling);
  engine::DeviceProcessLane device{engine::DeviceLaneOptions{}};
  const Task task = bench::make_task(file, problem, where, device.info());
  const bench::ScratchFolder folder;
  const auto store = cache::SqliteStore::open({.path = folder.path() / "decisions.db"});
  engine::Observer observer;
  const std::atomic<bool> stop{false};
  engine::SessionOptions options;
  options.launch_timeout = std::chrono::milliseconds(200);
  Session session;
  session.report = engine::run_session(
      task, options, {.compile = compile, .device = device, .store = *store, .observer = observer, .stop = stop});
  session.trials = store->find_trials(task.key("cold"));
  session.device = device.statistics();
  return session;
}

std::string fault_of(const std::string& configuration) {
  const std::size_t at = configuration.find("FAULT=");
  return configuration.substr(at + 6, configuration.find(',', at) - at - 6);
}

void print_losses(const engine::DeviceLaneStatistics& device) {
  fmt::print(
      "\n| lost worker | spare ready | count | median ms until the next request | longest |\n|---|---|---|---|---|\n");
  std::map<std::pair<std::string, bool>, std::vector<double>> costs;
  for (const engine::WorkerLoss& loss : device.losses) {
    if (loss.recovery_ms) costs[{std::string(to_string(loss.cause)), loss.spare_ready}].push_back(*loss.recovery_ms);
  }
  for (const auto& [what, milliseconds] : costs) {
    fmt::print("| {} | {} | {} | {:.0f} | {:.0f} |\n", what.first, what.second ? "yes" : "no", milliseconds.size(),
               engine::median(milliseconds), *std::ranges::max_element(milliseconds));
  }
}

int run(int argc, char** argv) {
  if (argc < 3) throw std::runtime_error("usage: bench_faults KERNEL_FILE PROBLEM");
  const Session calm = run_session(argv[1], argv[2], {"FAULT == none"});
  const Session wild = run_session(argv[1], argv[2], {});

  std::map<std::string, std::map<std::string, int>> ends;
  int faults = 0;
  for (const cache::Trial& trial : wild.trials) {
    ++ends[fault_of(trial.configuration)][std::string(to_string(trial.outcome))];
    if (trial.outcome != Outcome::ok) ++faults;
  }
  fmt::print("| fault | ended as |\n|---|---|\n");
  for (const auto& [fault, outcomes] : ends) {
    std::string text;
    for (const auto& [outcome, count] : outcomes)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", outcome, count);
    fmt::print("| {} | {} |\n", fault, text);
  }
  print_losses(wild.device);

  const TimeSpent& time = wild.report.time;
  std::set<std::string> configurations;
  for (const cache::Trial& trial : wild.trials) configurations.insert(trial.configuration);
  const bool complete = configurations.size() == wild.report.space_size;
  const bool same = calm.report.decision.configuration == wild.report.decision.configuration;
  fmt::print(
      "\n{} rows of {} configurations (every one has a row: {}), {} of them failures; {} device workers lost. {:.1f} s "
      "with the faults, {:.1f} s "
      "without.\nThe winner is {}: {}\n",
      wild.trials.size(), wild.report.space_size, complete ? "yes" : "NO", faults, wild.device.losses.size(),
      time.total_s, calm.report.time.total_s, same ? "the same" : "ANOTHER", wild.report.decision.configuration);
  return complete && same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_faults", [&] { return run(argc, argv); });
}

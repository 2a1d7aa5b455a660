// Tunes the 708 configurations that other tuners were compared on, each time with empty data and cache folders, and
// prints the tables of docs/results: wall-clock time from process start to exit, counters, winner, where the time went,
// how busy everybody was; then the same with one compile worker and nothing overlapped.
//
//   bench_comparison [RUNS] [SOURCE_FOLDER] [RECORDING_TO_WRITE]
//
// $TUNER_PROGRAM: the tuner; otherwise the one beside this program. bench_serial is beside this one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "tuner/process/usable_cores.hpp"

namespace {

using tuner::bench::TunerRun;

constexpr const char* kProblem = "rows=528,row_length=65536";

int count(const nlohmann::json& report, const char* name) {
  return report["counters"].value(name, 0);
}

void print_runs(const std::vector<TunerRun>& runs) {
  fmt::print(
      "| run | seconds | asked | compiled | deduplicated | timed | failed | winner | µs | speed-up over the baseline "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const nlohmann::json& report = runs[i].report;
    fmt::print("| {} | {:.2f} | {} | {} | {} | {} | {} | {} | {:.1f} | {:.3f} ({:.3f} to {:.3f}) |\n", i + 1,
               runs[i].seconds, count(report, "asked"), count(report, "compiled"), count(report, "deduplicated"),
               count(report, "timed"), count(report, "failed"), report["winner"]["configuration"].get<std::string>(),
               report["winner"]["time_us"].get<double>(), report["speedup"]["ratio"].get<double>(),
               report["speedup"]["low"].get<double>(), report["speedup"]["high"].get<double>());
  }
}

void print_time(const TunerRun& run, int workers) {
  const nlohmann::json& time = run.report["time_spent"];
  fmt::print("Where the time went (seconds):");
  for (const auto& [name, seconds] : time.items()) fmt::print(" {} {:.2f}", name, seconds.get<double>());
  const auto spent = [&](const char* name) { return time.value(name, 0.0); };
  const double device = spent("loading_s") + spent("verifying_s") + spent("timing_s");
  fmt::print("\nBusy, of {:.2f} s: the device worker {:.0f} %, {} compile workers {:.0f} %.\n", run.seconds,
             100 * device / run.seconds, workers, 100 * spent("compile_cpu_s") / (workers * run.seconds));
}

void print_median(std::vector<TunerRun> runs, int workers) {
  std::sort(runs.begin(), runs.end(), [](const TunerRun& a, const TunerRun& b) { return a.seconds < b.seconds; });
  const TunerRun& middle = runs[runs.size() / 2];
  fmt::print("\nMedian: {:.2f} s, process start to exit. ", middle.seconds);
  print_time(middle, workers);
  const nlohmann::json& report = middle.report;
  const int refused = count(report, "failed_compile_error") + count(report, "failed_compile_timeout");
  fmt::print("compiled {} + deduplicated {} + not compiled {} = {}; timed {} + deduplicated {} + failed {} = {}\n",
             count(report, "compiled"), count(report, "deduplicated"), refused, count(report, "asked"),
             count(report, "timed"), count(report, "deduplicated"), count(report, "failed"),
             count(report, "timed") + count(report, "deduplicated") + count(report, "failed"));
  fmt::print("Failures:");
  for (const nlohmann::json& failure : report["failures"]) {
    fmt::print(" {} {}", failure["count"].dump(), failure["outcome"].get<std::string>());
  }
  fmt::print("\nGPU {}, driver {}, NVRTC {}\n", report["device"].get<std::string>(),
             report["conditions"]["driver"].dump(), report["conditions"]["toolkit"].dump());
}

/// The same engine, one thing after the other, from process start to exit.
TunerRun run_serially(const std::string& kernel, const std::string& where) {
  const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bench_serial").string();
  const std::string command = fmt::format("'{}' '{}' '{}' '{}'", program, kernel, kProblem, where);
  const tuner::bench::CommandRun run = tuner::bench::run_command(command);
  return {run.seconds, run.exit_code, nlohmann::json::parse(run.output, nullptr, false)};
}

}  // namespace

int main(int argc, char** argv) {
  const int runs_wanted = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::filesystem::path source = argc > 2 ? argv[2] : ".";
  const std::string kernel = (source / "kernel_sources/prefetch.cu").string();
  const std::string where = tuner::bench::read_expression(source / "bench/comparison_space.where");
  const int workers = std::max(1, tuner::usable_cores() - 1);
  const auto tune = [&](std::vector<std::string> more = {}) {
    const tuner::bench::ScratchFolder folder;
    std::vector<std::string> arguments{kernel, "--problem", kProblem, "--where", where};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tuner::bench::tune(folder.path(), arguments);
  };

  std::vector<TunerRun> runs;
  for (int i = 0; i < runs_wanted; ++i) runs.push_back(tune());
  print_runs(runs);
  print_median(runs, workers);

  const TunerRun serial = run_serially(kernel, where);
  if (!serial.report.is_object()) {
    fmt::print(stderr, "bench_serial printed no report\n");
    return 1;
  }
  std::sort(runs.begin(), runs.end(), [](const TunerRun& a, const TunerRun& b) { return a.seconds < b.seconds; });
  fmt::print("\nOne compile worker, nothing overlapped: {:.2f} s, {:.1f} times the median. ", serial.seconds,
             serial.seconds / runs[runs.size() / 2].seconds);
  print_time(serial, 1);
  fmt::print("Its winner: {}\n", serial.report["winner"]["configuration"].get<std::string>());
  if (argc > 3) tune({"--record", argv[3], "--force"});
}

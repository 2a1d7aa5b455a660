// Tunes the 708 configurations that other tuners were compared on, each time with empty data and cache folders, and
// prints the table of docs/results: wall-clock time from process start to exit, counters, winner, where the time went.
//
//   comparison [RUNS] [TUNER_PROGRAM] [SOURCE_FOLDER] [RECORDING_TO_WRITE]
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

struct Run {
  double seconds = 0;
  nlohmann::json report;
};

std::string read_expression(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string expression, line;
  while (std::getline(in, line)) {
    if (!line.starts_with('#')) expression += line + ' ';
  }
  return expression;
}

Run tune(const std::string& command) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / fmt::format("tuner-bench-{}", getpid())).string();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string in_folder =
      fmt::format("env -u TUNER_DB XDG_DATA_HOME='{0}/data' XDG_CACHE_HOME='{0}/cache' {1}", folder, command);
  const auto start = std::chrono::steady_clock::now();
  std::string output;
  {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(in_folder.c_str(), "r"), pclose);
    std::array<char, 65536> buffer;
    std::size_t count = 0;
    while ((count = fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0) output.append(buffer.data(), count);
  }
  Run run;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const nlohmann::json object = nlohmann::json::parse(output, nullptr, false);
  if (!object.is_object() || object["reports"].empty()) {
    fmt::print(stderr, "the tuner did not print a report:\n{}\n", output);
    std::exit(1);
  }
  run.report = object["reports"][0];
  std::filesystem::remove_all(folder);
  return run;
}

void print(std::vector<Run>& runs) {
  fmt::print(
      "| run | seconds | asked | compiled | deduplicated | timed | failed | winner | µs | speed-up over the baseline "
      "|\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const nlohmann::json& report = runs[i].report;
    const nlohmann::json& counters = report["counters"];
    fmt::print("| {} | {:.2f} | {} | {} | {} | {} | {} | {} | {:.1f} | {:.3f} ({:.3f} to {:.3f}) |\n", i + 1,
               runs[i].seconds, counters["asked"].dump(), counters["compiled"].dump(), counters["deduplicated"].dump(),
               counters["timed"].dump(), counters["failed"].dump(),
               report["winner"]["configuration"].get<std::string>(), report["winner"]["time_us"].get<double>(),
               report["speedup"]["ratio"].get<double>(), report["speedup"]["low"].get<double>(),
               report["speedup"]["high"].get<double>());
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.seconds < b.seconds; });
  const Run& middle = runs[runs.size() / 2];
  fmt::print("\nMedian: {:.2f} s, process start to exit. Where it went in that run (seconds):", middle.seconds);
  for (const auto& [name, seconds] : middle.report["time_spent"].items())
    fmt::print(" {} {:.2f}", name, seconds.get<double>());
  const auto count = [&](const char* name) { return middle.report["counters"].value(name, 0); };
  fmt::print("\ncompiled {} + deduplicated {} + not compiled {} = {}; timed {} + deduplicated {} + failed {} = {}",
             count("compiled"), count("deduplicated"), count("failed_compile_error") + count("failed_compile_timeout"),
             count("asked"), count("timed"), count("deduplicated"), count("failed"),
             count("timed") + count("deduplicated") + count("failed"));
  fmt::print("\nFailures:");
  for (const nlohmann::json& failure : middle.report["failures"]) {
    fmt::print(" {} {}", failure["count"].dump(), failure["outcome"].get<std::string>());
  }
  const nlohmann::json& conditions = middle.report["conditions"];
  fmt::print("\nGPU {}, driver {}, NVRTC {}\n", middle.report["device"].get<std::string>(), conditions["driver"].dump(),
             conditions["toolkit"].dump());
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 3;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string tuner = argc > 2 ? argv[2] : (self.parent_path() / "tuner").string();
  const std::filesystem::path source = argc > 3 ? argv[3] : ".";
  const std::string command = fmt::format(
      "'{}' tune '{}' --problem rows=528,row_length=65536 --where '{}' --json 2>/dev/null", tuner,
      (source / "kernel_sources/prefetch.cu").string(), read_expression(source / "bench/comparison_space.where"));
  std::vector<Run> runs;
  for (int i = 0; i < count; ++i) runs.push_back(tune(command));
  if (argc > 4) tune(fmt::format("{} --record '{}'", command, argv[4]));
  print(runs);
}

// The tuner killed with SIGKILL when a quarter, half and three quarters of its trials are stored, and started again.
//
//   bench_resume KERNEL_FILE PROBLEM WHERE...
//
// Prints for each: how many trials were stored when it was killed, how many the next run screened and took over, and
// whether any stored row is another one now.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bench/engine/stored_rows.hpp"
#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"

namespace {

using namespace tuner;

constexpr const char* kData = "data/tuner";  // of the databases, in a session's folder

struct Killed {
  std::int64_t stored = 0;
  std::string rows;
};

/// Starts the tuner and kills it when it has stored that many trials.
Killed kill_after(const std::filesystem::path& folder, const std::vector<std::string>& arguments, int trials) {
  const std::string command = bench::tuner_command(folder, arguments) + " >/dev/null 2>&1";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  const std::filesystem::path data = folder / kData;
  while (bench::look_at(data).trials < trials && waitpid(child, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // its workers end by themselves
  const std::int64_t stored = bench::look_at(data).trials;
  return {stored, bench::trial_rows(data, stored)};
}

int run(int argc, char** argv) {
  if (argc < 3) throw std::runtime_error("usage: bench_resume KERNEL_FILE PROBLEM WHERE...");
  std::vector<std::string> arguments{argv[1], "--problem", argv[2]};
  for (int i = 3; i < argc; ++i) arguments.insert(arguments.end(), {"--where", argv[i]});

  const bench::ScratchFolder undisturbed;
  const bench::TunerRun whole = bench::tune(undisturbed.path(), arguments);
  const int space = whole.report["counters"]["asked"].get<int>();
  fmt::print("Undisturbed: {} configurations in {:.2f} s, winner {}\n\n", space, whole.seconds,
             whole.report["winner"]["configuration"].get<std::string>());
  fmt::print(
      "| killed at | stored then | next run: screened | reused | sum | seconds | stored rows unchanged | winner the "
      "same |\n"
      "|---|---|---|---|---|---|---|---|\n");
  bool well = true;
  for (const int percent : {25, 50, 75}) {
    const bench::ScratchFolder folder;
    std::vector<std::string> tune = arguments;
    tune.insert(tune.begin(), {"tune", "--effort", "full"});
    const Killed killed = kill_after(folder.path(), tune, space * percent / 100);
    const bench::TunerRun next = bench::tune(folder.path(), arguments);
    const nlohmann::json& counters = next.report["counters"];
    const int screened = counters.value("screened", -1), reused = counters.value("reused", -1);
    const std::string rows = bench::trial_rows(folder.path() / kData, killed.stored);
    const bool unchanged = !rows.empty() && rows == killed.rows;
    well = well && unchanged && screened + reused == space;
    fmt::print("| {} % | {} | {} | {} | {} | {:.2f} | {} | {} |\n", percent, killed.stored, screened, reused,
               screened + reused, next.seconds, unchanged ? "yes" : "NO",
               next.report["winner"]["configuration"] == whole.report["winner"]["configuration"] ? "yes" : "no");
  }
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_resume", [&] { return run(argc, argv); });
}

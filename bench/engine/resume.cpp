// The tuner killed with SIGKILL when a quarter, half and three quarters of its trials are stored, and started again.
//
//   bench_resume KERNEL_FILE PROBLEM WHERE...
//
// Prints for each: how many trials were stored when it was killed, how many the next run screened and took over, and
// whether any stored row is another one now.
#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/engine/tuner_program.hpp"

namespace {

using namespace tuner;

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

/// Every value of every row of the answer, one line a row; empty while there is nothing to be read.
std::string ask(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
  const Database database(raw, sqlite3_close);
  if (opened != SQLITE_OK) return {};
  sqlite3_busy_timeout(raw, 1000);
  std::string answer;
  const auto add_row = [](void* text, int columns, char** values, char**) {
    for (int i = 0; i < columns; ++i)
      *static_cast<std::string*>(text) += std::string(values[i] ? values[i] : "NULL") + '|';
    *static_cast<std::string*>(text) += '\n';
    return 0;
  };
  return sqlite3_exec(raw, sql.c_str(), add_row, &answer, nullptr) == SQLITE_OK ? answer : std::string();
}

int stored_trials(const std::filesystem::path& file) {
  const std::string answer = ask(file, "SELECT count(*) FROM trial");
  return answer.empty() ? 0 : std::stoi(answer);
}

struct Killed {
  int stored = 0;
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
  const std::filesystem::path file = folder / "data/tuner/decisions.db";
  while (stored_trials(file) < trials && waitpid(child, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // its workers end by themselves
  return {stored_trials(file), ask(file, "SELECT * FROM trial ORDER BY trial_id")};
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
    tune.insert(tune.begin(), "tune");
    const Killed killed = kill_after(folder.path(), tune, space * percent / 100);
    const bench::TunerRun next = bench::tune(folder.path(), arguments);
    const nlohmann::json& counters = next.report["counters"];
    const int screened = counters.value("screened", -1), reused = counters.value("reused", -1);
    const std::string rows = ask(folder.path() / "data/tuner/decisions.db",
                                 fmt::format("SELECT * FROM trial ORDER BY trial_id LIMIT {}", killed.stored));
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
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_resume: {}\n", error.what());
    return 1;
  }
}

// Processes that all ask for the same kernel, which nobody has tuned, in mode tune: how many of them tune, and what
// becomes of it when the engine that tunes is killed half-way.
//
//   bench_runtime_crowd PROCESSES KILLS KERNEL_FILE PROBLEM WHERE EFFORT
//
// Ends with 1 if the winners of one crowd differ or a trial was lost. Kill with effort full: shorter searches may try
// other configurations after a kill.
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <list>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/engine/stored_rows.hpp"
#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/runtime/application.hpp"
#include "bench/runtime/child.hpp"
#include "bench/runtime/database.hpp"
#include "bench/runtime/figures.hpp"
#include "cache/store/lease.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;

/// One of the crowd. Prints its rung, its configuration and how long it waited.
void ask(const char* folder, const char* file, const char* problem, const char* arguments_text, Effort effort) {
  bench::use_primary_context();
  const CUstream stream = bench::make_stream();
  const bench::Arguments arguments(arguments_text);
  const auto start = Clock::now();
  Runtime runtime({.mode = Mode::tune, .database = folder, .tune_limit = std::chrono::minutes(5), .effort = effort});
  const Kernel kernel = runtime.kernel(Description::from_file(file));
  const Instance& instance = kernel.request(bench::problem_values(problem));
  const std::chrono::duration<double> waited = Clock::now() - start;
  bench::require(arguments.launch(instance, stream));
  bench::drain(stream);
  fmt::print("{} {:.2f} {}\n", static_cast<int>(instance.rung()), waited.count(), instance.provenance().configuration);
}

struct Crowd {
  std::list<bench::Child> members;
  Crowd(int count, const std::filesystem::path& folder, const std::filesystem::path& file,
        const bench::ApplicationText& text, const std::string& effort) {
    for (int i = 0; i < count; ++i)
      members.emplace_back(
          std::vector<std::string>{"ask", folder.string(), file.string(), text.problem, text.arguments, effort});
  }
  /// The configurations that they ended on.
  std::set<std::string> finish() {
    std::set<std::string> found;
    for (bench::Child& member : members) {
      std::vector<std::string> words = bench::words(member.finish());
      if (words.size() == 2) words.emplace_back();  // no configuration
      if (words.size() < 3)
        throw std::runtime_error(
            "a process printed fewer than three words; expected its rung, seconds and configuration");
      fmt::print("  after {} s: {}, {}\n", words[1], to_string(static_cast<Rung>(std::stoi(words[0]))), words[2]);
      found.insert(words[0] + " " + words[2]);
    }
    return found;
  }
};

/// The process that has the lease on the only key, as the lock file tells: "process 1234 on ...".
std::optional<pid_t> holder(const cache::DecisionKey& key, const std::filesystem::path& folder) {
  const auto text = cache::lease_on(key, folder / "decisions.db").holder();
  if (!text || !text->starts_with("process ")) return std::nullopt;
  return std::stoi(text->substr(8));
}

bool all_well = true;

void check(bool well, const char* what) {
  if (well) return;
  fmt::print("WRONG: {}\n", what);
  all_well = false;
}

/// Waits until it is so, looking every millisecond; milliseconds, or nothing if it never is.
template <class Condition>
std::optional<double> wait_until(Clock::time_point since, const Condition& condition) {
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    const std::chrono::duration<double, std::milli> passed = Clock::now() - since;
    if (condition()) return passed.count();
    if (passed > std::chrono::minutes(2)) return std::nullopt;
  }
}

struct Calm {
  bench::Seen seen;
  cache::DecisionKey key;
  std::set<std::string> winners;
};

Calm leave_alone(int processes, const std::filesystem::path& file, const bench::ApplicationText& text,
                 const std::string& effort) {
  const bench::ScratchFolder folder;
  Calm calm;
  calm.winners = Crowd(processes, folder.path(), file, text, effort).finish();
  calm.seen = bench::look_at(folder.path());
  calm.key = bench::only_decision(folder.path()).key;
  fmt::print("{} trials of {} configurations in {} session(s), {} decision(s)\n", calm.seen.trials,
             calm.seen.configurations, calm.seen.sessions, calm.seen.decisions);
  const std::string title = fmt::format("{} processes ask for one key", processes);
  bench::print_figure(title + ": sessions that tuned", static_cast<double>(calm.seen.sessions), "", {.at_most = 1});
  bench::print_figure(title + ": different winners", static_cast<double>(calm.winners.size()), "", {.at_most = 1});
  check(calm.winners.size() == 1, "the winners differ");
  return calm;
}

void kill_engine(int processes, const std::filesystem::path& file, const bench::ApplicationText& text,
                 const std::string& effort, const Calm& calm) {
  const bench::ScratchFolder folder;
  Crowd crowd(processes, folder.path(), file, text, effort);
  wait_until(Clock::now(), [&] { return bench::look_at(folder.path()).trials >= calm.seen.trials / 2; });
  const std::optional<pid_t> engine = holder(calm.key, folder.path());
  if (!engine) throw std::runtime_error("nobody holds the lease");
  const auto killed = Clock::now();
  if (::kill(*engine, SIGKILL) != 0) throw std::runtime_error("the engine that tunes had ended before it was killed");
  const auto lease = wait_until(killed, [&] { return holder(calm.key, folder.path()) != engine; });
  // A commit that the kill interrupted is undone by the next who opens the database to write; until then none can read.
  bench::Seen then;
  wait_until(killed, [&] { return (then = bench::look_at(folder.path())).trials > 0; });
  const std::string rows = bench::trial_rows(folder.path(), then.trials);
  const auto row = wait_until(killed, [&] { return bench::look_at(folder.path()).trials > then.trials; });
  const std::set<std::string> winners = crowd.finish();
  const bench::Seen seen = bench::look_at(folder.path());
  fmt::print("killed process {} at {} trials; {} in the end, of {} configurations, in {} sessions\n", *engine,
             then.trials, seen.trials, seen.configurations, seen.sessions);
  const std::string title = "engine killed half-way";
  bench::print_figure(title + ": another has the lease after", lease.value_or(-1), "ms", {.at_most = 1000});
  bench::print_figure(title + ": another stores its first trial after", row.value_or(-1), "ms");
  bench::print_figure(title + ": different winners, with those of the calm crowd",
                      static_cast<double>(winners == calm.winners ? 1 : winners.size() + 1), "", {.at_most = 1});
  bench::print_figure(title + ": sessions that tuned", static_cast<double>(seen.sessions), "", {.at_most = 2});
  bench::print_figure(title + ": configurations without a trial",
                      static_cast<double>(calm.seen.configurations - seen.configurations), "", {.at_most = 0});
  check(lease && row, "nobody took over");
  check(winners.size() == 1, "the winners differ");
  check(rows == bench::trial_rows(folder.path(), then.trials), "trials that were stored have changed");
  check(seen.configurations == calm.seen.configurations, "configurations have no trial");
}

void measure(int processes, int kills, const char* kernel, const char* problem, const char* where,
             const std::string& effort) {
  const bench::ScratchFolder source;
  const std::filesystem::path file = bench::narrow(kernel, where, source.path());
  const bench::ApplicationText text = bench::describe_application(file, problem);
  const Calm calm = leave_alone(processes, file, text, effort);
  for (int i = 0; i < kills; ++i) kill_engine(processes, file, text, effort, calm);
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_crowd", [&] {
    if (argc != 7) {
      throw std::runtime_error("usage: bench_runtime_crowd PROCESSES KILLS KERNEL_FILE PROBLEM WHERE EFFORT");
    }
    if (std::string(argv[1]) == "ask") {
      ask(argv[2], argv[3], argv[4], argv[5], effort_from_string(argv[6]).value());
    } else {
      bench::forget_settings();
      measure(std::atoi(argv[1]), std::atoi(argv[2]), argv[3], argv[4], argv[5], argv[6]);
    }
    return all_well ? 0 : 1;
  });
}

// What a budget of a few evaluations, or an effort, finds on the GPU at hand, against the whole space: one session over
// everything, then one with the limit for each seed, all from empty databases, and in the end all their winners side by
// side.
//
//   bench_search_budget KERNEL_FILE PROBLEM BUDGET|EFFORT SEEDS [OPTION...]
//
// Options are those of `tuner tune`, for all sessions (--kernel NAME, --where EXPR). With $TUNER_SPACES_DIR the first
// session leaves its recording in that folder, where bench_search_effort replays it. Prints a markdown table, of an
// effort one line. A winner's share of the optimum is the shortest time of all that were measured side by side over its
// own. Ends with 1 if a session has no winner; never for being slow.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "bench/kernels/records.hpp"
#include "bench/kernels/side_by_side.hpp"
#include "bench/program.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/effort.hpp"

namespace tuner::bench {
namespace {

constexpr int kBlocks = 100;
constexpr std::chrono::seconds kLimit{30};
constexpr double kEnough = 0.95;

struct Session {
  std::string label;
  std::string winner;
  double seconds = 0;
  int tried = 0;
  nlohmann::json phases;  ///< where the time went
};

Session search(const std::string& label, const std::string& file, const std::string& problem,
               const std::vector<std::string>& further) {
  const ScratchFolder folder;
  std::vector<std::string> arguments{file};
  if (!problem.empty()) arguments.insert(arguments.end(), {"--problem", problem});
  arguments.insert(arguments.end(), further.begin(), further.end());
  const TunerRun run = tune(folder.path(), arguments);
  if (!run.report["winner"].is_object()) throw std::runtime_error(label + " found no winner");
  return {label, run.report["winner"]["configuration"], run.seconds, run.report["counters"].value("asked", 0),
          run.report["time_spent"]};
}

/// Where the time of sessions went, in the mean, as one line on standard error: what a short search cannot save.
void print_phases(const std::string& kernel, std::span<const Session> sessions) {
  std::string line;
  for (const char* phase : {"starting_s", "waiting_s", "loading_s", "verifying_s", "timing_s", "exchanging_s",
                            "deciding_s", "ending_s", "total_s"}) {
    double sum = 0;
    for (const Session& session : sessions) sum += session.phases.value(phase, 0.0);
    line += fmt::format(" {} {:.2f}", phase, sum / static_cast<double>(sessions.size()));
  }
  fmt::print(stderr, "{} ({}):{}\n", kernel, sessions.front().label, line);
}

/// The kernel, its configurations, seconds for all of them, then of each seed how many were tried, its seconds, and its
/// winner's speed against that of the complete search.
void print_line(const std::string& kernel, const std::vector<Session>& sessions,
                const std::vector<Contestant>& contestants) {
  std::string tried, seconds, shares;
  double ratio = 0, worst = 1;
  for (std::size_t i = 1; i < sessions.size(); ++i) {
    const double share = contestants[i].speedup.ratio / contestants[0].speedup.ratio;
    tried += fmt::format("{}{}", i == 1 ? "" : ", ", sessions[i].tried);
    seconds += fmt::format("{}{:.1f}", i == 1 ? "" : ", ", sessions[i].seconds);
    shares += fmt::format("{}{:.3f}", i == 1 ? "" : ", ", share);
    ratio += sessions[i].seconds / sessions[0].seconds / static_cast<double>(sessions.size() - 1);
    worst = std::min(worst, share);
  }
  fmt::print("{}", table_line({kernel, std::to_string(sessions[0].tried), fmt::format("{:.1f}", sessions[0].seconds),
                               tried, seconds, fmt::format("{:.3f}", ratio), shares, fmt::format("{:.3f}", worst)}));
}

/// With the option that leaves a recording, where one is wanted.
std::vector<std::string> with_recording(std::vector<std::string> options, const std::string& file) {
  if (const char* const folder = std::getenv("TUNER_SPACES_DIR")) {
    const std::filesystem::path name = std::filesystem::path(file).stem().concat(".csv");
    options.insert(options.end(), {"--record", std::filesystem::path(folder) / name});
  }
  return options;
}

void compare(const std::string& file, const std::string& problem, const std::string& limit, int seeds,
             const std::vector<std::string>& options) {
  std::vector<Session> sessions{search("whole space", file, problem, with_recording(options, file))};
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<std::string> limited{effort_from_string(limit) ? "--effort" : "--budget", limit, "--seed",
                                     std::to_string(seed)};
    limited.insert(limited.end(), options.begin(), options.end());
    sessions.push_back(search(fmt::format("seed {}", seed), file, problem, limited));
  }
  Laboratory laboratory;
  const auto named = std::find(options.begin(), options.end(), "--kernel");
  const std::string kernel = named == options.end() ? "" : *std::next(named);
  const Task task = task_of({file, kernel}, problem, laboratory.device());
  std::vector<Contestant> contestants;
  for (const Session& session : sessions) contestants.push_back({session.label, session.winner});
  measure_side_by_side(laboratory, task, contestants, kBlocks, kLimit);
  double best = 0;
  for (const Contestant& contestant : contestants) {
    if (!contestant.failure.empty()) throw std::runtime_error(contestant.label + ": " + contestant.failure);
    best = std::max(best, contestant.speedup.ratio);
  }
  if (effort_from_string(limit)) {
    print_phases(task.description().kernel, std::span(sessions).first(1));
    print_phases(task.description().kernel, std::span(sessions).subspan(1));
    return print_line(task.description().kernel, sessions, contestants);
  }
  fmt::print("{}", table_heading({"search", "tried", "seconds", "winner", "share of the optimum"}));
  int enough = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const double share = contestants[i].speedup.ratio / best;
    if (i > 0 && share >= kEnough) ++enough;
    fmt::print("{}", table_line({sessions[i].label, std::to_string(sessions[i].tried),
                                 fmt::format("{:.2f}", sessions[i].seconds), time_text(contestants[i].time_ns),
                                 fmt::format("{:.3f}", share)}));
  }
  fmt::print("\n{} of {} searches with a budget of {} found {} of the optimum or more.\n", enough, seeds, limit,
             kEnough);
}

}  // namespace
}  // namespace tuner::bench

int main(int count, char** arguments) {
  const std::span<char*> words(arguments, static_cast<std::size_t>(count));
  if (count < 5) {
    std::fputs(
        "usage: bench_search_budget KERNEL_FILE PROBLEM BUDGET|EFFORT SEEDS [OPTION...]   (PROBLEM may be empty)\n",
        stderr);
    return 2;
  }
  return tuner::bench::run_program("bench_search_budget", [&] {
    tuner::bench::compare(words[1], words[2], words[3], std::atoi(words[4]), {words.begin() + 5, words.end()});
  });
}

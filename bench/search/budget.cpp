// What a budget of a few evaluations finds on the GPU at hand, against the whole space: one session over everything,
// then one with the budget for each seed, all from empty databases, and in the end all their winners side by side.
//
//   bench_search_budget KERNEL_FILE PROBLEM BUDGET SEEDS [OPTION...]
//
// Options are those of `tuner tune`, for all sessions (--where EXPR). Prints a markdown table. A winner's share of the
// optimum is the shortest time of all that were measured side by side over its own. Ends with 1 if a session has no
// winner; never for being slow.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "bench/kernels/records.hpp"
#include "bench/kernels/side_by_side.hpp"
#include "bench/program.hpp"
#include "tuner/core/base/text.hpp"

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
};

Session search(const std::string& label, const std::string& file, const std::string& problem,
               const std::vector<std::string>& further) {
  const ScratchFolder folder;
  std::vector<std::string> arguments{file};
  if (!problem.empty()) arguments.insert(arguments.end(), {"--problem", problem});
  arguments.insert(arguments.end(), further.begin(), further.end());
  const TunerRun run = tune(folder.path(), arguments);
  if (!run.report["winner"].is_object()) throw std::runtime_error(label + " found no winner");
  return {label, run.report["winner"]["configuration"], run.seconds, run.report["counters"].value("asked", 0)};
}

void compare(const std::string& file, const std::string& problem, const std::string& budget, int seeds,
             const std::vector<std::string>& options) {
  std::vector<Session> sessions{search("whole space", file, problem, options)};
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<std::string> limited{"--budget", budget, "--seed", std::to_string(seed)};
    limited.insert(limited.end(), options.begin(), options.end());
    sessions.push_back(search(fmt::format("seed {}", seed), file, problem, limited));
  }
  Laboratory laboratory;
  const Task task = task_of({file, ""}, problem, laboratory.device());
  std::vector<Contestant> contestants;
  for (const Session& session : sessions) contestants.push_back({session.label, session.winner});
  measure_side_by_side(laboratory, task, contestants, kBlocks, kLimit);
  double best = 0;
  for (const Contestant& contestant : contestants) {
    if (!contestant.failure.empty()) throw std::runtime_error(contestant.label + ": " + contestant.failure);
    best = std::max(best, contestant.speedup.ratio);
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
  fmt::print("\n{} of {} searches with a budget of {} found {} of the optimum or more.\n", enough, seeds, budget,
             kEnough);
}

}  // namespace
}  // namespace tuner::bench

int main(int count, char** arguments) {
  const std::span<char*> words(arguments, static_cast<std::size_t>(count));
  if (count < 5) {
    std::fputs("usage: bench_search_budget KERNEL_FILE PROBLEM BUDGET SEEDS [OPTION...]   (PROBLEM may be empty)\n",
               stderr);
    return 2;
  }
  return tuner::bench::run_program("bench_search_budget", [&] {
    tuner::bench::compare(words[1], words[2], words[3], std::atoi(words[4]), {words.begin() + 5, words.end()});
  });
}

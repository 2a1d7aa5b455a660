// Sessions of the real program, and then the truth about what they found.
//
//   bench_winners SESSIONS BLOCKS SECONDS all|winners OUTPUT KERNEL_FILE PROBLEM WHERE...
//
// Runs SESSIONS times `tuner tune` with empty folders, then measures BLOCKS interleaved samples (SECONDS at most) of
// every configuration of the space, or of the sessions' winners only, and prints how far each winner is from the best,
// and whether each winner is in every session's tie set. OUTPUT receives the raw samples; "-" for none.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/engine/truth.hpp"
#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "tuner/engine/candidates/gpu_time.hpp"

namespace {

using namespace tuner;

struct Session {
  double seconds = 0;
  std::string winner;
  std::set<std::string> ties;
  nlohmann::json report;
};

std::vector<Session> run_sessions(int count, char** arguments, char** end) {
  std::vector<std::string> tune{arguments[0], "--problem", arguments[1]};
  for (char** where = arguments + 2; where != end; ++where) tune.insert(tune.end(), {"--where", *where});
  std::vector<Session> sessions;
  for (int i = 0; i < count; ++i) {
    const bench::ScratchFolder folder;
    const bench::TunerRun run = bench::tune(folder.path(), tune);
    Session session{run.seconds, run.report["winner"]["configuration"], {}, run.report};
    for (const nlohmann::json& finalist : run.report["finalists"]) {
      if (finalist["tied"] == true) session.ties.insert(finalist["configuration"].get<std::string>());
    }
    sessions.push_back(std::move(session));
  }
  return sessions;
}

/// GPU time of seven plain samples of every configuration, each behind its flush, in seconds.
double plain_runs_s(const bench::Truth& truth, double flush_ns) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.entries.size(); ++i) sum += truth.median_ns(i) + flush_ns;
  return 7 * sum / 1e9;
}

void run(int argc, char** argv) {
  if (argc < 8) {
    throw std::runtime_error(
        "usage: bench_winners SESSIONS BLOCKS SECONDS all|winners OUTPUT KERNEL_FILE PROBLEM WHERE...");
  }
  const bool all = std::string(argv[4]) == "all";
  const std::vector<Session> sessions = run_sessions(std::atoi(argv[1]), argv + 6, argv + argc);

  bench::Laboratory laboratory;
  const Task task = bench::make_task(argv[6], argv[7], {argv + 8, argv + argc}, laboratory.device());
  laboratory.prepare(task, Timing::cold);
  std::vector<search::Configuration> configurations;
  if (all) {
    for (std::uint64_t i = 0; i < task.space().size(); ++i) configurations.push_back(task.space().at(i));
  } else {
    std::set<std::string> winners;
    for (const Session& session : sessions) winners.insert(session.winner);
    for (const std::string& winner : winners) configurations.push_back(task.space().parse(winner));
    configurations.push_back(task.baseline().value());  // a block of one alone would compare nothing
  }
  const bench::Truth truth = bench::find_truth(laboratory, laboratory.add(configurations), std::atoi(argv[2]),
                                               std::chrono::seconds(std::atoi(argv[3])));
  if (std::string(argv[5]) != "-") bench::write_truth(truth, laboratory, argv[5]);

  std::map<std::string, double> relative;  // of every configuration, twins included
  for (std::size_t i = 0; i < truth.entries.size(); ++i) {
    for (const engine::EntryId twin : laboratory.candidates().twins(truth.entries[i])) {
      relative[laboratory.candidates().text(twin)] = truth.relative[i];
    }
  }
  const std::size_t best = truth.best();
  fmt::print("{} of {} configurations differ, run and are right; {} interleaved samples of each.\n",
             truth.entries.size(), configurations.size(), truth.rows.size());
  fmt::print("Best by those samples: {} ({:.2f} µs)\n\n", laboratory.candidates().text(truth.entries[best]),
             truth.median_ns(best) / 1000);
  const double plain = plain_runs_s(truth, engine::lead_in_ns(task.device(), Timing::cold));
  const double plain_kernels = plain_runs_s(truth, 0);
  fmt::print(
      "| session | seconds | winner | slower than the best | tied | holds every winner |\n|---|---|---|---|---|---|\n");
  double worst = 1;
  bool stable = true;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const Session& session = sessions[i];
    bool holds = true;
    for (const Session& other : sessions) holds = holds && session.ties.contains(other.winner);
    stable = stable && holds;
    worst = std::max(worst, relative.at(session.winner));
    fmt::print("| {} | {:.2f} | {} | {:.2f} % | {} | {} |\n", i + 1, session.seconds, session.winner,
               100 * (relative.at(session.winner) - 1), session.ties.size(), holds ? "yes" : "no");
  }
  fmt::print("\nWorst winner: {:.2f} % slower than the best. Each winner is in every session's tie set: {}.\n",
             100 * (worst - 1), stable ? "yes" : "no");
  fmt::print("Seven plain runs a configuration: {:.3f} s of GPU time with their flushes, {:.3f} s inside kernels.\n",
             plain, plain_kernels);
  fmt::print("GPU time of the sessions, screening and race with their flushes, seconds:");
  for (const Session& session : sessions) {
    const nlohmann::json& time = session.report["time_spent"];
    fmt::print(" {:.3f}", time.value("screening_gpu_s", 0.0) + time.value("racing_gpu_s", 0.0));
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_winners", [&] { run(argc, argv); });
}

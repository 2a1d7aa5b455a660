#include <fmt/format.h>

#include <algorithm>

#include "bench/engine/tuner_program.hpp"
#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "bench/kernels/side_by_side.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

constexpr int kTimes = 10;
constexpr int kBlocksOfTenfold = 100;
constexpr std::chrono::seconds kLimitOfTenfold{10};
constexpr std::size_t kTies = 3;  // of the larger session, measured too

/// The winner of a session with ten times the budget, first, and some that tie with it.
std::vector<std::string> search_longer(const BenchProblem& problem, json& record) {
  const ScratchFolder folder;
  const TunerRun run = tune_with(problem, kTimes * *problem.budget, folder.path());
  record["seconds"] = run.seconds;
  if (!run.report.is_object() || !run.report["winner"].is_object())
    throw std::runtime_error(fmt::format("the longer session ended with {} and no winner", run.exit_code));
  record["tried"] = run.report["counters"].value("asked", 0);
  std::vector<std::string> found{run.report["winner"]["configuration"].get<std::string>()};
  for (const json& tie : run.report["ties"]) {
    const std::string text = tie["configuration"];
    if (found.size() <= kTies && std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
  }
  return found;
}

void compare(const std::filesystem::path& out, const BenchProblem& problem, json& record) {
  const json tuned = read_record(record_path(out, "tune", problem.name));
  if (!tuned.is_object() || !tuned["report"].is_object() || !tuned["report"]["winner"].is_object())
    throw std::runtime_error("it has no winner to compare: run `tune` first");
  const std::string winner = tuned["report"]["winner"]["configuration"];
  record["winner"] = winner;
  record["budget"] = tuned["report"]["counters"].value("asked", 0);
  if (!problem.budget) {
    record["whole_space"] = true;
    return;
  }
  std::vector<Contestant> contestants{{"winner", winner}};
  for (const std::string& other : search_longer(problem, record)) contestants.push_back({"tenfold", other});
  Laboratory laboratory;
  const Task task = task_of({problem.file, problem.kernel}, problem.problem, laboratory.device());
  measure_side_by_side(laboratory, task, contestants, kBlocksOfTenfold, kLimitOfTenfold);
  if (!contestants[0].failure.empty()) throw std::runtime_error("the winner: " + contestants[0].failure);
  const Contestant* best = nullptr;
  for (const Contestant& contestant : contestants) {
    if (!contestant.failure.empty()) continue;
    if (best == nullptr || contestant.speedup.ratio > best->speedup.ratio) best = &contestant;
  }
  const engine::Ratio ratio = engine::paired_ratio(contestants[0].samples_ns, best->samples_ns);
  record["best"] = best->configuration;
  record["slower"] = {{"ratio", ratio.ratio}, {"low", ratio.low}, {"high", std::min(ratio.high, 1e9)}};
}

}  // namespace

std::string tenfold_heading() {
  return table_heading(
      {"kernel", "tried", "tried with ten times the budget", "seconds", "winner / best of those", "within 3 %"});
}

std::string tenfold_line(const json& record) {
  const std::string name = record.value("name", "?");
  if (record.contains("error")) return table_line({name, record["error"].get<std::string>()});
  const std::string tried = std::to_string(record.value("budget", 0));
  if (record.value("whole_space", false)) return table_line({name, tried, "the whole space was", "-", "-", "yes"});
  const json& slower = record["slower"];
  return table_line({name, tried, std::to_string(record.value("tried", 0)),
                     fmt::format("{:.1f}", record.value("seconds", 0.0)),
                     ratio_cell(slower["ratio"], slower["low"], slower["high"]),
                     slower["ratio"].get<double>() <= 1.03 ? "yes" : "NO"});
}

int run_tenfold(const std::filesystem::path& out, const BenchProblem& problem) {
  json record{{"name", problem.name}};
  try {
    compare(out, problem, record);
  } catch (const std::exception& error) {
    record["error"] = error.what();
  }
  write_record(record_path(out, "tenfold", problem.name), record);
  fmt::print("{}", tenfold_line(record));
  return record.contains("error") ? 1 : 0;
}

}  // namespace tuner::bench

#include <fmt/format.h>

#include <fstream>

#include "bench/engine/tuner_program.hpp"
#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

std::string last_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line, last;
  while (std::getline(in, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

/// Of the peak that bounds it: the larger share where it declares bytes and operations.
std::string share_text(const json& winner, const json& peaks, bool in_double) {
  if (!peaks.is_object()) return "-";
  double best = 0;
  std::string text = "-";
  const auto consider = [&](const char* rate, const char* peak, const char* name) {
    if (!winner.value(rate, json()).is_number() || peaks.value(peak, 0.0) <= 0) return;
    const double share = winner[rate].get<double>() / peaks[peak].get<double>();
    if (share <= best) return;
    best = share;
    text = fmt::format("{:.0f} % of {}", 100 * share, name);
  };
  consider("bytes_per_second", "copy_bytes_per_second", "copy");
  consider("flops_per_second", in_double ? "fma_double_flops_per_second" : "fma_float_flops_per_second", "FMA");
  return text;
}

std::string rate_cell(const json& winner) {
  std::string text;
  if (winner["bytes_per_second"].is_number()) text = rate_text(winner["bytes_per_second"], "B/s");
  if (winner["flops_per_second"].is_number())
    text += (text.empty() ? "" : ", ") + rate_text(winner["flops_per_second"], "FLOP/s");
  return text.empty() ? "-" : text;
}

std::int64_t failures_in(const json& report) {
  std::int64_t count = 0;
  for (const json& failure : report["failures"]) count += failure.value("count", 0);
  return count;
}

}  // namespace

std::string tuned_heading() {
  std::vector<std::string> names{"kernel", "baseline", "winner", "speed-up", "achieved", "of the peak"};
  for (std::string& name : resource_headings()) names.push_back(std::move(name));
  for (const char* name : {"tried", "failed", "seconds", "values"}) names.emplace_back(name);
  return table_heading(names);
}

std::string tuned_line(const json& record, const json& peaks) {
  const std::string name = record.value("name", "?");
  const json report = record.value("report", json());
  if (!report.is_object() || !report["winner"].is_object()) {
    return table_line({name, fmt::format("no winner: {}", record.value("error", "unknown"))});
  }
  const json& winner = report["winner"];
  const json& baseline = report["baseline"];
  const json& speedup = report["speedup"];
  const bool known = baseline.is_object() && baseline["time_us"].is_number();
  std::string ratio = "-";
  if (speedup.is_object() && speedup["low"].is_number()) {
    ratio = ratio_cell(speedup["ratio"], speedup["low"], speedup["high"]);
  } else if (speedup.is_object()) {
    ratio = fmt::format("{:.3f}", speedup["ratio"].get<double>());
  }
  std::vector<std::string> cells{
      name,
      known ? time_text(1e3 * baseline["time_us"].get<double>()) : "-",
      time_text(1e3 * winner["time_us"].get<double>()) + (winner.value("verified", false) ? "" : " (not verified)"),
      ratio,
      rate_cell(winner),
      share_text(winner, peaks, report.value("problem", "").find("double") != std::string::npos)};
  for (std::string& cell : resource_cells(winner["facts"])) cells.push_back(std::move(cell));
  cells.push_back(std::to_string(report["counters"].value("asked", 0)));
  cells.push_back(std::to_string(failures_in(report)));
  cells.push_back(fmt::format("{:.1f}", record.value("seconds", 0.0)));
  const std::string text = winner["configuration"];
  cells.push_back(
      known
          ? fmt::format("{}", fmt::join(differing_assignments(text, baseline["configuration"].get<std::string>()), " "))
          : text);
  return table_line(cells);
}

TunerRun tune_with(const BenchProblem& problem, std::optional<int> budget, const std::filesystem::path& folder) {
  std::vector<std::string> arguments{problem.file.string()};
  if (!problem.kernel.empty()) arguments.insert(arguments.end(), {"--kernel", problem.kernel});
  if (!problem.problem.empty()) arguments.insert(arguments.end(), {"--problem", problem.problem});
  if (budget) arguments.insert(arguments.end(), {"--budget", std::to_string(*budget)});
  return tune(folder, arguments, false);
}

int tune_problem(const std::filesystem::path& out, const BenchProblem& problem) {
  const ScratchFolder folder;
  const TunerRun run = tune_with(problem, problem.budget, folder.path());
  json record{{"name", problem.name},       {"file", problem.file.string()}, {"kernel", problem.kernel},
              {"problem", problem.problem}, {"peer", problem.peer},          {"seconds", run.seconds},
              {"exit_code", run.exit_code}, {"report", run.report}};
  if (problem.budget) record["budget"] = *problem.budget;
  const bool won = run.report.is_object() && run.report["winner"].is_object();
  if (!won) record["error"] = fmt::format("exit code {}: {}", run.exit_code, last_line(folder.path() / "errors"));
  write_record(record_path(out, "tune", problem.name), record);
  fmt::print("{}", tuned_line(record, read_peaks(out)));
  return won ? 0 : 1;
}

}  // namespace tuner::bench

#include <fmt/format.h>

#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "bench/kernels/side_by_side.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

constexpr int kBlocks = 40;
constexpr std::chrono::seconds kLimit{5};

void measure_group(Laboratory& laboratory, const std::filesystem::path& out, const Subject& subject,
                   std::vector<Contestant> contestants, const std::string& problem, json& group) {
  group["rows"] = json::array();
  const Task task = task_of(subject, problem, laboratory.device());
  group["problem"] = problem_text(task.problem());
  if (const auto winner = tuned_winner(out, subject, problem_text(task.problem()))) {
    contestants.push_back({"winner", *winner});
  }
  const Contestant baseline = measure_side_by_side(laboratory, task, contestants, kBlocks, kLimit);
  group["rows"].push_back(to_record(baseline));
  if (const auto bytes = task.work_bytes(*task.baseline())) group["bytes"] = *bytes;
  if (const auto flops = task.work_flops(*task.baseline())) group["flops"] = *flops;
  for (const Contestant& contestant : contestants) group["rows"].push_back(to_record(contestant));
}

std::string row_text(const json& row, const json& group, const std::string& baseline) {
  const std::string label = row["label"];
  std::vector<std::string> cells{label};
  if (row.contains("failure")) {
    cells.insert(cells.end(), {row["failure"].get<std::string>(), "-", "-"});
  } else {
    const json& speedup = row["speedup"];
    const double seconds = row["time_us"].get<double>() / 1e6;
    cells.push_back(time_text(1e9 * seconds));
    cells.push_back(label == "baseline" ? "1" : ratio_cell(speedup["ratio"], speedup["low"], speedup["high"]));
    cells.push_back(group.contains("bytes")   ? rate_text(group["bytes"].get<double>() / seconds, "B/s")
                    : group.contains("flops") ? rate_text(group["flops"].get<double>() / seconds, "FLOP/s")
                                              : "-");
  }
  for (std::string& cell : resource_cells(row["facts"])) cells.push_back(std::move(cell));
  cells.push_back(
      fmt::format("{}", fmt::join(differing_assignments(row["configuration"].get<std::string>(), baseline), " ")));
  return table_line(cells);
}

}  // namespace

std::string study_text(const json& record) {
  std::vector<std::string> names{"version", "time", "speed-up", "achieved"};
  for (std::string& name : resource_headings()) names.push_back(std::move(name));
  names.emplace_back("values");
  std::string text;
  for (const json& group : record["groups"]) {
    text += fmt::format("\n{}, {}\n\n", record.value("file", ""), group.value("problem", ""));
    if (group.contains("error")) text += fmt::format("Not measured: {}\n", group["error"].get<std::string>());
    if (group["rows"].empty()) continue;
    text += table_heading(names);
    const std::string baseline = group["rows"][0]["configuration"];
    for (const json& row : group["rows"]) text += row_text(row, group, baseline);
  }
  return text;
}

int run_study(const std::filesystem::path& out, const std::filesystem::path& study,
              const std::filesystem::path& table) {
  const Subject subject = subject_of(study, table);
  const std::vector<StudyLine> lines = read_study(study);
  Laboratory laboratory;
  const auto measure = [&](const std::string& problem, json& group) {
    std::vector<Contestant> contestants;
    for (const StudyLine& line : lines) {
      if (line.problem == problem) contestants.push_back({line.label, line.configuration});
    }
    measure_group(laboratory, out, subject, std::move(contestants), problem, group);
  };
  return run_groups(out, "studies", study, subject, lines, measure, study_text);
}

}  // namespace tuner::bench

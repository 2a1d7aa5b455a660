#include <fmt/format.h>

#include <map>
#include <set>

#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "bench/kernels/side_by_side.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

constexpr int kBlocks = 40;
constexpr std::chrono::seconds kLimit{5};

Task task_of(const Subject& subject, const std::string& problem, const DeviceInfo& device) {
  return Task(load_description(subject.file, subject.kernel), parse_problem(problem), device, {}, {},
              search::Listing::when_needed);
}

/// The record of one problem of a study.
json study_group(Laboratory& laboratory, const std::filesystem::path& out, const Subject& subject,
                 const std::string& problem, std::vector<Contestant> contestants) {
  json group{{"problem", problem}, {"rows", json::array()}};
  try {
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
  } catch (const Error& error) {
    group["error"] = error.what();
  }
  return group;
}

std::string row_text(const json& row, const json& group, const std::string& baseline) {
  const std::string label = row["label"];
  std::vector<std::string> cells{label};
  if (row.contains("failure")) {
    cells.insert(cells.end(), {row["failure"].get<std::string>(), "-", "-"});
  } else {
    const json& speedup = row["speedup"];
    const double seconds = row["time_us"].get<double>() / 1e6;
    cells.push_back(time_cell(1e9 * seconds));
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
  std::vector<std::string> problems;  // in the order of the study
  std::map<std::string, std::vector<Contestant>> groups;
  for (const StudyLine& line : read_study(study)) {
    if (!groups.contains(line.problem)) problems.push_back(line.problem);
    groups[line.problem].push_back({line.label, line.configuration});
  }
  json record{{"name", study.stem().string()}, {"file", subject.file.string()}, {"groups", json::array()}};
  const std::filesystem::path path = record_path(out, "studies", study.stem().string());
  Laboratory laboratory;
  bool failed = false;
  for (const std::string& problem : problems) {
    record["groups"].push_back(study_group(laboratory, out, subject, problem, groups[problem]));
    failed = failed || record["groups"].back().contains("error");
    write_record(path, record);  // what comes next may end this process
    fmt::print("{}", study_text({{"file", subject.file.string()}, {"groups", json::array({record["groups"].back()})}}));
    std::fflush(stdout);
  }
  return failed ? 1 : 0;
}

}  // namespace tuner::bench

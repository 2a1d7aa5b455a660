#include <fmt/format.h>

#include <map>

#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "bench/kernels/side_by_side.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

constexpr int kBlocksOfCurve = 20;
constexpr std::chrono::seconds kLimitOfCurve{20};

struct Point {
  std::string line;
  std::string value;
};

const search::Parameter& parameter(const Task& task, const std::string& name) {
  for (const search::Parameter& one : task.space().parameters()) {
    if (one.name == name) return one;
  }
  throw Error(Errc::bad_usage, fmt::format("The kernel has no parameter {}.", name));
}

bool allowed(const Task& task, const std::string& configuration) {
  return !task.space().why_invalid(task.space().parse(configuration));
}

/// The text with each NAME=+ made the smallest positive value that the constraints allow; empty if none is allowed.
std::string with_smallest(const Task& task, const std::string& configuration) {
  std::string fixed;
  std::string open;
  for (const std::string& assignment : split_assignments(configuration)) {
    if (assignment.ends_with("=+")) {
      open = assignment.substr(0, assignment.size() - 2);
    } else {
      fixed += (fixed.empty() ? "" : ",") + assignment;
    }
  }
  if (open.empty()) return allowed(task, fixed) ? fixed : "";
  for (const search::Value& value : parameter(task, open).values) {
    const std::string text = value.text();
    if (text.starts_with('-') || text == "0") continue;
    const std::string complete = fmt::format("{},{}={}", fixed, open, text);
    if (allowed(task, complete)) return complete;
  }
  return {};
}

void measure_group(Laboratory& laboratory, const Subject& subject, const Curve& curve, const std::string& problem,
                   json& group) {
  group["over"] = curve.over;
  const Task task = task_of(subject, problem, laboratory.device());
  std::vector<Contestant> contestants;
  std::vector<Point> points;
  for (const StudyLine& line : curve.lines) {
    if (line.problem != problem) continue;
    for (const search::Value& value : parameter(task, curve.over).values) {
      const std::string number = value.text();
      const std::string text = with_smallest(
          task,
          fmt::format("{}{}{}={}", line.configuration, line.configuration.empty() ? "" : ",", curve.over, number));
      if (text.empty()) continue;
      contestants.push_back({line.label, text});
      points.push_back({line.label, number});
    }
  }
  const Contestant baseline = measure_side_by_side(laboratory, task, contestants, kBlocksOfCurve, kLimitOfCurve);
  group["problem"] = problem_text(task.problem());
  group["baseline"] = to_record(baseline);
  group["points"] = json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    json point = to_record(contestants[i]);
    point["value"] = points[i].value;
    group["points"].push_back(std::move(point));
  }
}

std::string group_text(const json& group) {
  std::vector<std::string> values, lines;
  std::map<std::pair<std::string, std::string>, std::string> cells;
  for (const json& point : group["points"]) {
    const std::string line = point["label"], value = point["value"];
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    cells[{line, value}] =
        point.contains("failure") ? "failed" : fmt::format("{:.2f}", point["speedup"]["ratio"].get<double>());
  }
  std::vector<std::string> heading{group["over"]};
  heading.insert(heading.end(), values.begin(), values.end());
  std::string text = table_heading(heading);
  for (const std::string& line : lines) {
    std::vector<std::string> row{line};
    for (const std::string& value : values) {
      const auto cell = cells.find({line, value});
      row.push_back(cell == cells.end() ? "" : cell->second);
    }
    text += table_line(row);
  }
  return text;
}

}  // namespace

std::string curve_text(const json& record) {
  std::string text;
  for (const json& group : record["groups"]) {
    text += fmt::format("\nSpeed-up over the baseline of {} against {}, {}\n\n", record.value("file", ""),
                        group.value("over", ""), group.value("problem", ""));
    text += group.contains("error") ? fmt::format("Not measured: {}\n", group["error"].get<std::string>())
                                    : group_text(group);
  }
  return text;
}

int run_curve(const std::filesystem::path& out, const std::filesystem::path& list, const std::filesystem::path& table) {
  const Subject subject = subject_of(list, table);
  const Curve curve = read_curve(list);
  Laboratory laboratory;
  const auto measure = [&](const std::string& problem, json& group) {
    measure_group(laboratory, subject, curve, problem, group);
  };
  return run_groups(out, "curves", list, subject, curve.lines, measure, curve_text);
}

}  // namespace tuner::bench

#include "bench/kernels/lists.hpp"

#include <fmt/format.h>

#include <fstream>
#include <ranges>
#include <stdexcept>

namespace tuner::bench {

namespace {

struct Line {
  int number = 0;
  std::vector<std::string> fields;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(text, separator)) parts.push_back(trimmed({part.begin(), part.end()}));
  return parts;
}

/// Lines of fields between bars; empty lines and those that begin with # are left out.
std::vector<Line> read_lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(fmt::format("{} cannot be read", file.string()));
  std::vector<Line> lines;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    text = trimmed(text);
    if (text.empty() || text.front() == '#') continue;
    lines.push_back({number, split(text, '|')});
  }
  return lines;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const Line& line, const std::string& why) {
  throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), line.number, why));
}

/// Assignments may be separated by commas, blanks or both; the tuner wants commas.
std::string with_commas(const std::string& assignments) {
  std::string result;
  bool pending = false;
  for (const char c : assignments) {
    if (c == ' ' || c == '\t' || c == ',') {
      pending = !result.empty();
      continue;
    }
    if (pending) result += ',';
    pending = false;
    result += c;
  }
  return result;
}

/// "speed-up 2.5"
Hope hope(const std::filesystem::path& file, const Line& line, const std::string& text) {
  const std::size_t blank = text.find(' ');
  Hope result{text.substr(0, blank), 0};
  if (blank != std::string::npos) result.least = std::atof(text.c_str() + blank);
  const bool known = result.figure == "speed-up" || result.figure == "copy" || result.figure == "peer";
  if (!known || result.least <= 0) refuse(file, line, "a hope is speed-up, copy or peer, and a number");
  return result;
}

StudyLine study_line(const std::filesystem::path& file, const Line& line) {
  if (line.fields.size() != 3) refuse(file, line, "expected: label | problem | configuration");
  if (line.fields[0].empty()) refuse(file, line, "a line needs a label");
  return {line.fields[0], with_commas(line.fields[1]), with_commas(line.fields[2]), line.number};
}

}  // namespace

std::vector<BenchProblem> read_table(const std::filesystem::path& table) {
  std::vector<BenchProblem> problems;
  for (const Line& line : read_lines(table)) {
    if (line.fields.size() != 6) refuse(table, line, "expected: name | file | problem | budget | peer | hopes");
    BenchProblem problem;
    problem.name = line.fields[0];
    for (const BenchProblem& other : problems) {
      if (other.name == problem.name) refuse(table, line, "there are two of this name");
    }
    const std::size_t colon = line.fields[1].find(':');
    problem.file = "kernel_sources/" + line.fields[1].substr(0, colon) + ".cu";
    if (colon != std::string::npos) problem.kernel = line.fields[1].substr(colon + 1);
    problem.problem = with_commas(line.fields[2]);
    if (!line.fields[3].empty()) {
      problem.budget = std::atoi(line.fields[3].c_str());
      if (*problem.budget < 1) refuse(table, line, "a budget is a number of configurations");
    }
    problem.peer = line.fields[4];
    for (const std::string& text : split(line.fields[5], ',')) problem.hopes.push_back(hope(table, line, text));
    problems.push_back(std::move(problem));
  }
  return problems;
}

BenchProblem find_problem(const std::filesystem::path& table, const std::string& name) {
  for (BenchProblem& problem : read_table(table)) {
    if (problem.name == name) return std::move(problem);
  }
  throw std::runtime_error(fmt::format("{} has no problem named {}", table.string(), name));
}

std::vector<StudyLine> read_study(const std::filesystem::path& study) {
  std::vector<StudyLine> lines;
  for (const Line& line : read_lines(study)) lines.push_back(study_line(study, line));
  return lines;
}

Curve read_curve(const std::filesystem::path& curve) {
  Curve result;
  for (const Line& line : read_lines(curve)) {
    if (!result.over.empty()) {
      result.lines.push_back(study_line(curve, line));
    } else if (line.fields.size() == 1 && line.fields[0].starts_with("over ")) {
      result.over = trimmed(line.fields[0].substr(5));
    } else {
      refuse(curve, line, "expected first: over NAME");
    }
  }
  return result;
}

Subject subject_of(const std::filesystem::path& list, const std::filesystem::path& table) {
  const std::string name = list.stem().string();
  for (const BenchProblem& problem : read_table(table)) {
    if (problem.kernel == name || (problem.kernel.empty() && problem.file.stem() == name))
      return {problem.file, problem.kernel};
  }
  throw std::runtime_error(fmt::format("{}: {} names no kernel {}", list.string(), table.string(), name));
}

}  // namespace tuner::bench

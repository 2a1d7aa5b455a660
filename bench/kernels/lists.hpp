#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tuner::bench {

/// What somebody hopes for: "speed-up" over the baseline, or the winner's rate over that of a "copy" or the "peer".
struct Hope {
  std::string figure;
  double least = 0;
};

/// One problem of one kernel and how it is tuned: a line of kernels.table, which explains the fields,
///   name | file | problem | budget | peer | hopes
struct BenchProblem {
  std::string name;
  std::filesystem::path file;
  std::string kernel;
  std::string problem;
  std::optional<int> budget;
  std::string peer;
  std::vector<Hope> hopes;
};
std::vector<BenchProblem> read_table(const std::filesystem::path& table);
/// Throws std::runtime_error if there is none of that name.
BenchProblem find_problem(const std::filesystem::path& table, const std::string& name);

/// A configuration that a study speaks of: a line of <kernel>.study,
///   label | problem | what differs from the defaults, as NAME=value, NAME=value
struct StudyLine {
  std::string label;
  std::string problem;
  std::string configuration;
  int line = 0;
};
std::vector<StudyLine> read_study(const std::filesystem::path& study);

/// How a kernel's speed depends on one parameter: <kernel>.curve. Its first line is "over NAME"; the others are those
/// of a study, one for each line of the graph. NAME=+ stands for the smallest positive value that the constraints
/// allow.
struct Curve {
  std::string over;
  std::vector<StudyLine> lines;
};
Curve read_curve(const std::filesystem::path& curve);

/// The kernel that a study or a curve is about, which has its name: a line of the table says in which file it is.
struct Subject {
  std::filesystem::path file;
  std::string kernel;  ///< as in BenchProblem
};
Subject subject_of(const std::filesystem::path& list, const std::filesystem::path& table);

}  // namespace tuner::bench

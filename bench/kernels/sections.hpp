#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/engine/tuner_program.hpp"
#include "bench/kernels/lists.hpp"

namespace tuner::bench {

/// Each does one piece of work, writes its record below `out`, prints what it found as markdown, and returns 0 unless
/// it failed; why stands in the record, too.

/// The real program on one problem, with databases in `folder`.
TunerRun tune_with(const BenchProblem& problem, std::optional<int> budget, const std::filesystem::path& folder);
/// Tunes one problem with the real program and databases of its own.
int tune_problem(const std::filesystem::path& out, const BenchProblem& problem);
/// Measures the configurations of a study beside the baseline and, where it was tuned, the winner.
int run_study(const std::filesystem::path& out, const std::filesystem::path& study, const std::filesystem::path& table);
/// Measures a curve: every value of the parameter it is over.
int run_curve(const std::filesystem::path& out, const std::filesystem::path& curve, const std::filesystem::path& table);
/// Tunes again with ten times the budget, and measures both winners side by side.
int run_tenfold(const std::filesystem::path& out, const BenchProblem& problem);
/// Reads what the profiler wrote to OUT/counters/NAME.VERSION.csv.
int take_counters(const std::filesystem::path& out, const std::string& name, const std::string& version);
/// For scripts: file, kernel, problem, baseline and winner of what was tuned, with tabs between them.
int print_winner(const std::filesystem::path& out, const std::string& name);
/// Puts all records together: kernels.md and kernels.json.
int write_report(const std::filesystem::path& out, const std::filesystem::path& table);

/// A line of the table of tuned kernels, and its heading.
std::string tuned_heading();
std::string tuned_line(const nlohmann::json& record, const nlohmann::json& peaks);
/// The table of a study's record.
std::string study_text(const nlohmann::json& record);
std::string curve_text(const nlohmann::json& record);
std::string tenfold_line(const nlohmann::json& record);
std::string tenfold_heading();
/// Of the records that bench_kernel_peers writes.
std::string peer_line(const nlohmann::json& record);
std::string peer_heading();

/// What the profiler is asked for, with commas between the names.
std::string counter_names();
std::string counters_heading();
std::string counters_line(const nlohmann::json& record);

}  // namespace tuner::bench

#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/kernels/lists.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner::bench {

/// Where every piece of work leaves what it found, so that pieces can be run, repeated and put together apart:
/// OUT/<section>/<name>.json.
std::filesystem::path record_path(const std::filesystem::path& out, std::string_view section, const std::string& name);
/// Null if there is none.
nlohmann::json read_record(const std::filesystem::path& file);
void write_record(const std::filesystem::path& file, const nlohmann::json& record);

/// Peaks measured by bench_kernel_peaks; null if they were not.
nlohmann::json read_peaks(const std::filesystem::path& out);

/// The tuned winner of this kernel and this complete problem, if it was tuned.
std::optional<std::string> tuned_winner(const std::filesystem::path& out, const Subject& subject,
                                        const std::string& complete_problem);

/// The kernel with a problem on this device. Its space is counted only when that is needed.
Task task_of(const Subject& subject, const std::string& problem, const DeviceInfo& device);

/// Measures a list problem by problem: `measure` fills the group of one. OUT/<section>/<the list's name>.json is
/// written and the group is printed before the next begins, which may end this process. Returns 1 if a problem ended
/// with an Error, which its group has then; else 0.
int run_groups(const std::filesystem::path& out, const char* section, const std::filesystem::path& list,
               const Subject& subject, const std::vector<StudyLine>& lines,
               const std::function<void(const std::string& problem, nlohmann::json& group)>& measure,
               std::string (*to_text)(const nlohmann::json& record));

/// A line of a markdown table.
std::string table_line(const std::vector<std::string>& cells);
/// The heading and the line below it.
std::string table_heading(const std::vector<std::string>& names);
/// "1.85 (1.84 to 1.86)"
std::string ratio_cell(double ratio, double low, double high);
/// How tables head the resource cells, and the cells, of the facts that a report has.
std::vector<std::string> resource_headings();
std::vector<std::string> resource_cells(const nlohmann::json& facts);

}  // namespace tuner::bench

#include <fmt/format.h>

#include <stdexcept>

#include "bench/kernels/ncu_csv.hpp"
#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

/// What the profiler calls a number, and what the table calls it.
constexpr std::pair<const char*, const char*> kMetrics[] = {
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "bytes used of 32"},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sectors a request"},
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "long scoreboard"},
    {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "lg throttle"},
    {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "short scoreboard"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy, %"},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM, %"},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "SM, %"},
    {"dram__bytes_read.sum", "DRAM read, MB"},
    {"dram__bytes_write.sum", "DRAM written, MB"},
    {"l1tex__m_l1tex2xbar_write_bytes.sum", "L1 to L2, MB"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "bank conflicts, loads"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "bank conflicts, stores"},
    {"smsp__inst_executed_op_local_ld.sum", "local loads"},
    {"smsp__inst_executed_op_local_st.sum", "local stores"},
};

std::string cell(const json& value, const std::string& heading) {
  if (!value.is_number()) return "-";
  const bool in_megabytes = heading.ends_with(", MB");
  const double shown = value.get<double>() / (in_megabytes ? 1e6 : 1);
  return shown >= 1000 ? fmt::format("{:.0f}", shown) : fmt::format("{:.4g}", shown);
}

}  // namespace

std::string counter_names() {
  std::string names;
  for (const auto& [name, heading] : kMetrics) names += (names.empty() ? "" : ",") + std::string(name);
  return names;
}

std::string counters_heading() {
  std::vector<std::string> names{"kernel", "version"};
  for (const auto& [name, heading] : kMetrics) names.emplace_back(heading);
  return table_heading(names);
}

std::string counters_line(const json& record) {
  std::vector<std::string> cells{record.value("name", "?"), record.value("version", "?")};
  if (record.contains("error")) {
    cells.push_back(record["error"].get<std::string>());
    return table_line(cells);
  }
  for (const auto& [name, heading] : kMetrics) cells.push_back(cell(record["values"].value(name, json()), heading));
  return table_line(cells);
}

int take_counters(const std::filesystem::path& out, const std::string& name, const std::string& version) {
  const std::filesystem::path csv = out / "counters" / (name + "." + version + ".csv");
  const NcuTable table = read_ncu_csv(csv);
  json record{{"name", name}, {"version", version}};
  if (table.rows.empty()) record["error"] = table.complaint;
  for (const auto& [metric, text] : table.rows.empty() ? NcuRow() : table.rows.back()) {
    const std::optional<double> value = ncu_number(text);
    record["values"][metric] = value ? json(*value) : json();
  }
  write_record(record_path(out, "counters", name + "." + version), record);
  fmt::print("{}", counters_line(record));
  return table.rows.empty() ? 1 : 0;
}

int print_winner(const std::filesystem::path& out, const std::string& name) {
  const json record = read_record(record_path(out, "tune", name));
  const json report = record.is_object() ? record.value("report", json()) : json();
  if (!report.is_object() || !report["winner"].is_object() || !report["baseline"].is_object())
    throw std::runtime_error(fmt::format("{} has no winner: run the section tune first", name));
  fmt::print("{}\t{}\t{}\t{}\t{}\n", record.value("file", ""), report.value("kernel", ""), report.value("problem", ""),
             report["baseline"]["configuration"].get<std::string>(),
             report["winner"]["configuration"].get<std::string>());
  return 0;
}

}  // namespace tuner::bench

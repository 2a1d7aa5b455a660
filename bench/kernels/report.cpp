#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

/// Every record of a section, by name.
std::vector<json> records_of(const std::filesystem::path& out, const char* section) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(out / section, none)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<json> records;
  for (const std::filesystem::path& file : files) {
    if (json record = read_record(file); record.is_object()) records.push_back(std::move(record));
  }
  return records;
}

std::string peaks_text(const json& peaks) {
  if (!peaks.is_object()) return "Peaks were not measured.\n";
  return fmt::format("{}: copy {}, FMA {} in float and {} in double.\n", peaks.value("device", "?"),
                     rate_text(peaks.value("copy_bytes_per_second", 0.0), "B/s"),
                     rate_text(peaks.value("fma_float_flops_per_second", 0.0), "FLOP/s"),
                     rate_text(peaks.value("fma_double_flops_per_second", 0.0), "FLOP/s"));
}

/// The figure that a hope speaks of; nothing where it was not measured.
std::optional<double> measured(const Hope& hope, const json& report, const json& peers, const json& peaks) {
  if (hope.figure == "speed-up") {
    const json speedup = report.value("speedup", json());
    // Where the baseline won there is none, and nothing was gained.
    if (!speedup.is_object()) return report["winner"].is_object() ? std::optional(1.0) : std::nullopt;
    return speedup["ratio"].get<double>();
  }
  const bool beside = peers.is_object() && peers.contains("winner_rate") && peers.contains("peer_rate");
  if (hope.figure == "peer" || (beside && peers.value("peer", "").starts_with("copy"))) {
    if (!beside) return std::nullopt;
    return peers["winner_rate"].get<double>() / peers["peer_rate"].get<double>();
  }
  if (!peaks.is_object() || !report["winner"].is_object() || !report["winner"]["bytes_per_second"].is_number())
    return std::nullopt;
  return report["winner"]["bytes_per_second"].get<double>() / peaks["copy_bytes_per_second"].get<double>();
}

std::string hopes_text(const std::filesystem::path& out, const std::filesystem::path& table, const json& peaks) {
  std::string text = table_heading({"kernel", "figure", "measured", "hoped for", "met"});
  for (const BenchProblem& problem : read_table(table)) {
    const json record = read_record(record_path(out, "tune", problem.name));
    if (!record.is_object() || !record["report"].is_object()) continue;
    const json peers = read_record(record_path(out, "peers", problem.name));
    for (const Hope& hope : problem.hopes) {
      const auto value = measured(hope, record["report"], peers, peaks);
      text += table_line({problem.name, hope.figure == "speed-up" ? "speed-up" : "rate over the " + hope.figure + "'s",
                          value ? fmt::format("{:.3f}", *value) : "not measured", fmt::format("{:.2f}", hope.least),
                          !value                 ? "-"
                          : *value >= hope.least ? "yes"
                                                 : "no"});
    }
  }
  return text;
}

/// In the order of the table.
std::string tuned_text(const std::filesystem::path& out, const std::filesystem::path& table, const json& peaks,
                       json& all) {
  std::string text = tuned_heading();
  double seconds = 0;
  for (const BenchProblem& problem : read_table(table)) {
    json record = read_record(record_path(out, "tune", problem.name));
    if (!record.is_object()) continue;
    text += tuned_line(record, peaks);
    seconds += record.value("seconds", 0.0);
    if (record["report"].is_object()) record["report"].erase("finalists");  // with their samples they are most of it
    all.push_back(std::move(record));
  }
  return text + fmt::format("\nAll sessions together: {:.0f} s.\n", seconds);
}

}  // namespace

int write_report(const std::filesystem::path& out, const std::filesystem::path& table) {
  const json peaks = read_peaks(out);
  json all{{"peaks", peaks}, {"tuned", json::array()}};
  std::string text =
      "## Peaks\n\n" + peaks_text(peaks) + "\n## Tuned\n\n" + tuned_text(out, table, peaks, all["tuned"]);
  const std::pair<const char*, std::string (*)(const json&)> sections[] = {{"studies", study_text},
                                                                           {"curves", curve_text},
                                                                           {"peers", peer_line},
                                                                           {"counters", counters_line},
                                                                           {"tenfold", tenfold_line}};
  for (const auto& [section, to_text] : sections) {
    const std::vector<json> records = records_of(out, section);
    if (records.empty()) continue;
    text += fmt::format("\n## {}{}\n\n", static_cast<char>(section[0] - 'a' + 'A'), section + 1);
    if (to_text == peer_line) text += peer_heading();
    if (to_text == counters_line) text += counters_heading();
    if (to_text == tenfold_line) text += tenfold_heading();
    for (const json& record : records) text += to_text(record);
    all[section] = records;
  }
  text += "\n## Hopes\n\n" + hopes_text(out, table, peaks);
  std::filesystem::create_directories(out);
  std::ofstream file(out / "kernels.md");
  file << text;
  if (!file.flush()) throw std::runtime_error(fmt::format("{} cannot be written", (out / "kernels.md").string()));
  write_record(out / "kernels.json", all);
  fmt::print("{}", text);
  return 0;
}

}  // namespace tuner::bench

#include "bench/kernels/records.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>

#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

std::string number_or_dash(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_number() ? "-" : std::to_string(found->get<int>());
}

std::string loads_cell(const json& facts) {
  const json loads = facts.value("global_loads", json());
  if (!loads.is_object()) return "-";
  std::string text;
  const auto add = [&](const json& by_width, const char* suffix) {
    for (const auto& [name, bits] :
         {std::pair{"bits_128", "128"}, {"bits_64", "64"}, {"bits_32", "32"}, {"narrower", "16"}}) {
      const int count = by_width.value(name, 0);
      if (count > 0) text += fmt::format("{}{} x {}{}", text.empty() ? "" : ", ", count, bits, suffix);
    }
  };
  add(loads["to_registers"], "");
  add(loads["to_shared"], " async");
  return text.empty() ? "none" : text;
}

std::string occupancy_cell(const json& facts) {
  if (!facts.value("occupancy", json()).is_number()) return "-";
  const json limiter = facts.value("occupancy_limiter", json());
  return fmt::format("{:.0f} %{}", 100 * facts["occupancy"].get<double>(),
                     limiter.is_string() ? ", " + limiter.get<std::string>() : "");
}

int integer(const json& facts, const char* key) {
  const json value = facts.value(key, json());
  return value.is_number() ? value.get<int>() : 0;
}

}  // namespace

std::filesystem::path record_path(const std::filesystem::path& out, std::string_view section, const std::string& name) {
  return out / section / (name + ".json");
}

json read_record(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return nullptr;
  const json record = json::parse(in, nullptr, false);
  return record.is_discarded() ? json() : record;
}

void write_record(const std::filesystem::path& file, const json& record) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);
  out << record.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
  if (!out.flush()) throw std::runtime_error(fmt::format("{} cannot be written", file.string()));
}

json read_peaks(const std::filesystem::path& out) {
  return read_record(out / "peaks.json");
}

std::optional<std::string> tuned_winner(const std::filesystem::path& out, const Subject& subject,
                                        const std::string& complete_problem) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(out / "tune", none)) {
    const json record = read_record(entry.path());
    if (!record.is_object() || record.value("file", "") != subject.file.string() ||
        record.value("kernel", "") != subject.kernel)
      continue;
    const json report = record.value("report", json());
    if (!report.is_object() || report.value("problem", "") != complete_problem) continue;
    if (report["winner"].is_object()) return report["winner"]["configuration"].get<std::string>();
  }
  return std::nullopt;
}

Task task_of(const Subject& subject, const std::string& problem, const DeviceInfo& device) {
  return Task(load_description(subject.file, subject.kernel), parse_problem(problem), device, {}, {},
              search::Listing::when_needed);
}

int run_groups(const std::filesystem::path& out, const char* section, const std::filesystem::path& list,
               const Subject& subject, const std::vector<StudyLine>& lines,
               const std::function<void(const std::string& problem, json& group)>& measure,
               std::string (*to_text)(const json& record)) {
  json record{{"name", list.stem().string()}, {"file", subject.file.string()}, {"groups", json::array()}};
  int status = 0;
  std::set<std::string> done;
  for (const StudyLine& line : lines) {
    if (!done.insert(line.problem).second) continue;
    json group{{"problem", line.problem}};
    try {
      measure(line.problem, group);
    } catch (const Error& error) {
      group["error"] = error.what();
      status = 1;
    }
    record["groups"].push_back(group);
    write_record(record_path(out, section, list.stem().string()), record);
    fmt::print("{}", to_text({{"file", subject.file.string()}, {"groups", json::array({group})}}));
    std::fflush(stdout);
  }
  return status;
}

std::string table_line(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string table_heading(const std::vector<std::string>& names) {
  return table_line(names) + table_line(std::vector<std::string>(names.size(), "---"));
}

std::string ratio_cell(double ratio, double low, double high) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio, low, high);
}

std::vector<std::string> resource_headings() {
  return {"registers", "idle", "spills, B", "stack, B", "shared, B", "occupancy", "loads, bits", "waits"};
}

std::vector<std::string> resource_cells(const json& facts) {
  if (!facts.is_object()) return std::vector<std::string>(resource_headings().size(), "-");
  const json loads = facts.value("global_loads", json());
  return {number_or_dash(facts, "registers"),
          number_or_dash(facts, "idle_registers"),
          std::to_string(std::max(integer(facts, "spill_store_bytes"), integer(facts, "spill_load_bytes"))),
          number_or_dash(facts, "stack_bytes"),
          std::to_string(integer(facts, "static_shared_bytes") + integer(facts, "dynamic_shared_bytes")),
          occupancy_cell(facts),
          loads_cell(facts),
          loads.is_object() ? number_or_dash(loads, "waits_in_loop") : "-"};
}

}  // namespace tuner::bench

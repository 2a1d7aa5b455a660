#include "bench/kernels/ncu_csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace tuner::bench {

namespace {

/// The fields of a line of quoted, comma-separated values.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      result.emplace_back();
    } else if (c != '\r') {
      result.back() += c;
    }
  }
  return result;
}

}  // namespace

NcuTable read_ncu_csv(const std::filesystem::path& csv) {
  std::ifstream in(csv);
  std::vector<std::string> names;
  std::string line;
  NcuTable table;
  bool has_units = false;
  while (std::getline(in, line)) {
    if (line.find("==ERROR==") != std::string::npos || line.starts_with("bench_launch_one:")) table.complaint = line;
    if (!line.starts_with('"')) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (names.empty()) {
      names = fields;
    } else if (!has_units) {
      has_units = true;
    } else {
      NcuRow& row = table.rows.emplace_back();
      for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i) row[names[i]] = fields[i];
    }
  }
  if (table.rows.empty() && table.complaint.empty())
    table.complaint = names.empty() ? "the profiler said nothing" : "it looked at no kernel of this name";
  return table;
}

std::optional<double> ncu_number(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

double ncu_precision(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return 0;
  return std::pow(10.0, -static_cast<double>(text.find_last_of("0123456789") - point));
}

}  // namespace tuner::bench

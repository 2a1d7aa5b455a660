#include "bench/kernels/ncu_csv.hpp"

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

NcuRow read_ncu_csv(const std::filesystem::path& csv) {
  std::ifstream in(csv);
  std::vector<std::string> names, values;
  std::string line;
  NcuRow row;
  while (std::getline(in, line)) {
    if (line.find("==ERROR==") != std::string::npos || line.starts_with("bench_launch_one:")) row.complaint = line;
    if (!line.starts_with('"')) continue;
    (names.empty() ? names : values) = csv_fields(line);  // names, then units, then values: the last line counts
  }
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) row.values[names[i]] = values[i];
  if (row.values.empty() && row.complaint.empty()) row.complaint = "the profiler said nothing";
  return row;
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

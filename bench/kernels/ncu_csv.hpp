#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace tuner::bench {

/// What `ncu --csv --page raw` wrote about the last kernel that it looked at.
struct NcuRow {
  std::map<std::string, std::string> values;  ///< by metric, as written: "1,234.5"
  std::string complaint;                      ///< why there are none
};
NcuRow read_ncu_csv(const std::filesystem::path& csv);

/// "1,234.5" → 1234.5; nothing for anything that is no number.
std::optional<double> ncu_number(std::string text);

/// What two numbers that are printed like this one may differ by and yet be the same: one of its last digit.
double ncu_precision(const std::string& text);

}  // namespace tuner::bench

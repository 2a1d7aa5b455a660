#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tuner::bench {

/// What ncu found of one launch, by metric, as it wrote it: "1,234.5".
using NcuRow = std::map<std::string, std::string>;

/// What `ncu --csv --page raw` wrote.
struct NcuTable {
  std::vector<NcuRow> rows;  ///< a launch each
  std::string complaint;     ///< why there are none
};
NcuTable read_ncu_csv(const std::filesystem::path& csv);

/// "1,234.5" → 1234.5; nothing for anything that is no number.
std::optional<double> ncu_number(std::string text);

/// What two numbers that are printed like this one may differ by and yet be the same: one of its last digit.
double ncu_precision(const std::string& text);

}  // namespace tuner::bench

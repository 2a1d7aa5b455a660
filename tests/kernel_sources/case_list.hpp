#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "search/expression/expression.hpp"

namespace tuner::host {

using Values = std::vector<std::pair<std::string, search::Expression>>;

/// A file such as prefetch.cases, which explains the format. Throws std::runtime_error naming file and line.
struct CaseList {
  std::vector<Values> constants;
  std::vector<Values> sizes;
  Values space;
  std::string pairs = "true";
  std::vector<std::string> same;
  std::vector<std::string> also;
};
CaseList read_case_list(const std::filesystem::path& file);

}  // namespace tuner::host

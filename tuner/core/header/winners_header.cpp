#include "tuner/core/header/winners_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/header/winner_styles.hpp"
#include "tuner/core/header/winner_table.hpp"
#include "tuner/error.hpp"
#include "tuner/version.hpp"

namespace tuner {

bool is_namespace(std::string_view text) {
  while (true) {
    const std::size_t end = text.find("::");
    if (!is_declarable(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

std::string winners_header(std::vector<cache::Decision> decisions, const HeaderRequest& request) {
  std::stable_sort(decisions.begin(), decisions.end(), [](const cache::Decision& a, const cache::Decision& b) {
    const cache::DecisionKey &x = a.key, &y = b.key;
    return std::tie(x.kernel_name, x.device, x.problem, x.mode) < std::tie(y.kernel_name, y.device, y.problem, y.mode);
  });
  std::vector<WinnerTable> tables;
  for (std::size_t i = 0; i < decisions.size();) {
    std::vector<cache::Decision> own;
    const std::string kernel = decisions[i].key.kernel_name;
    for (; i < decisions.size() && decisions[i].key.kernel_name == kernel; ++i) own.push_back(decisions[i]);
    tables.emplace_back(own, request);
  }
  if (request.style == HeaderStyle::macros && tables.size() > 1) {
    throw Error(Errc::bad_usage,
                fmt::format("Macros of several kernels ({} and {}) would collide: choose one with --kernel.",
                            one_line(tables[0].kernel(), kLongestHeaderName),
                            one_line(tables[1].kernel(), kLongestHeaderName)));
  }
  std::string text = fmt::format(
      "// What `tuner tune` found fastest, for programs that are compiled without the tuner. Written by\n"
      "// `tuner export --header` of tuner {}; do not edit.\n#pragma once\n\n",
      kVersion);
  if (request.style == HeaderStyle::constants) text += winner_constants_helpers(request.name_space);
  for (const WinnerTable& table : tables) {
    if (&table != &tables.front()) text += "\n";
    text += request.style == HeaderStyle::constants ? winner_constants(table, request.name_space)
                                                    : winner_macros(table, request);
  }
  return text;
}

}  // namespace tuner

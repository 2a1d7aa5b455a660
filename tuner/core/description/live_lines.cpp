#include "tuner/core/description/live_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/expression/quoting.hpp"
#include "tuner/core/description/code_text.hpp"

namespace tuner {
namespace {

/// What follows its first word, if that is `word`.
std::string_view behind_word(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return {};
  return search::trimmed(text.substr(word.size()));
}

bool surely_holds(std::string_view condition) {
  return read_code(fmt::format("#{}\n#else\nx\n#endif\n", condition)).code.find('x') == std::string::npos;
}

std::string_view line_at(std::string_view source, std::size_t begin) {
  std::size_t end = std::min(source.find('\n', begin), source.size());
  while (end < source.size() && search::trimmed(source.substr(begin, end - begin)).ends_with('\\')) {
    end = std::min(source.find('\n', end + 1), source.size());
  }
  return search::trimmed(source.substr(begin, end - begin));
}

}  // namespace

std::vector<LiveLine> live_lines(std::string_view source) {
  const std::string code = read_code(source).code;
  std::vector<LiveLine> lines;
  std::vector<bool> holds;  // of the conditions that are open
  std::size_t doubtful = 0, number = 1, counted = 0;
  std::string_view first, last;  // that are no pragmas
  for (std::size_t at = code.find('#'); at != std::string::npos; at = code.find('#', at + 1)) {
    number += static_cast<std::size_t>(std::count(code.begin() + counted, code.begin() + at, '\n'));
    counted = at;
    const std::string_view text = line_at(source, at + 1);
    const bool closes = text.starts_with("endif") || text.starts_with("el");
    if (closes && !holds.empty()) {
      if (!holds.back()) --doubtful;
      holds.pop_back();
    }
    const std::string_view guard = last.data() == first.data() ? behind_word(first, "ifndef") : std::string_view();
    if (!guard.empty() && behind_word(text, "define") == guard && doubtful == 1) {
      holds.back() = true;
      doubtful = 0;
    }
    lines.push_back({text, number, doubtful == 0, doubtful == 0});
    if (!text.starts_with("pragma")) last = text;
    if (first.empty()) first = last;
    if (!text.starts_with("if") && !text.starts_with("el")) continue;
    holds.push_back(text.starts_with("if") && surely_holds(text));
    if (!holds.back()) ++doubtful;
    lines.back().is_certain_behind = doubtful == 0;
  }
  return lines;
}

std::vector<CertainInclude> certain_includes(std::string_view source) {
  std::vector<CertainInclude> includes;
  for (const LiveLine& line : live_lines(source)) {
    if (!line.is_certain || !line.text.starts_with("include")) continue;
    for (const CodeText::Include& include : read_code(fmt::format("#{}\n", line.text)).includes) {
      includes.push_back({include.name, include.is_quoted, line.number});
    }
  }
  return includes;
}

}  // namespace tuner

#include "tuner/core/base/assignments.hpp"

#include <fmt/ranges.h>

#include <unordered_set>

namespace tuner {

std::vector<std::string_view> assignment_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' && !quoted) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (c == '\\' && quoted) {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    }
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string> split_assignments(std::string_view text) {
  const std::vector<std::string_view> parts = assignment_parts(text);
  return {parts.begin(), parts.end()};
}

std::string named_assignments(std::string_view text) {
  return std::string(text.empty() ? "(no parameters)" : text);
}

std::string spaced_assignments(std::string_view text) {
  return named_assignments(fmt::format("{}", fmt::join(assignment_parts(text), " ")));
}

std::vector<std::string> differing_assignments(std::string_view configuration, std::string_view other) {
  const std::vector<std::string> parts = split_assignments(other);
  const std::unordered_set<std::string> known(parts.begin(), parts.end());
  std::vector<std::string> differing;
  for (std::string& part : split_assignments(configuration)) {
    if (!known.contains(part)) differing.push_back(std::move(part));
  }
  return differing;
}

}  // namespace tuner

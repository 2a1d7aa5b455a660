#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

namespace tuner::test {

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// How many lines `text` has.
inline std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The bytes of its longest line.
inline std::size_t longest_line(const std::string& text) {
  std::istringstream all(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(all, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace tuner::test

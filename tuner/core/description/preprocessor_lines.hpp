#pragma once

#include <cstddef>
#include <string_view>

#include "search/expression/quoting.hpp"

namespace tuner {

/// Calls `use(line, number, depth)` for each line that begins with `#`, comments not regarded: with what follows the
/// `#`, the line's number from 1, and how many `#if`s are open around it.
template <typename Use>
void for_each_preprocessor_line(std::string_view source, const Use& use) {
  int depth = 0;
  for (std::size_t number = 1; !source.empty(); ++number) {
    const std::size_t end = source.find('\n');
    std::string_view line = search::trimmed(source.substr(0, end));
    source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
    if (!line.starts_with('#')) continue;
    line = search::trimmed(line.substr(1));
    if (line.starts_with("endif")) --depth;
    use(line, number, depth);
    if (line.starts_with("if")) ++depth;
  }
}

}  // namespace tuner

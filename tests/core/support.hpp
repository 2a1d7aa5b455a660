#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/core/description/parse_descriptions.hpp"

namespace tuner::test {

/// The first line of what the error that `action` throws says; "no error" if it throws none.
template <typename Action>
std::string first_line_of(Action action) {
  const std::string text = error_of(action);
  return text.substr(0, text.find('\n'));
}

/// The pieces of a list: ` | ` stands between two, because they may have blanks and commas in them.
inline std::vector<std::string> between_bars(std::string_view list) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 3) {
    end = list.find(" | ", at);
    pieces.emplace_back(list.substr(at, end == std::string_view::npos ? end : end - at));
  }
  return pieces;
}

/// A complete description in five lines; `extra` stands on lines of its own after them, from line 6 on.
inline std::string kernel_text(std::string_view extra = {}) {
  return "#pragma tuner kernel(scale)\n"
         "#pragma tuner problem(n: size, TYPE: constant = float)\n"
         "#pragma tuner param(BLOCKDIMX, 64, 128, 256; default 128)\n"
         "#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)\n"
         "#pragma tuner out(result, TYPE, n)\n" +
         std::string(extra) + "\n";
}

inline KernelDescription describe(std::string_view text) {
  auto all = parse_descriptions(text, "k.cu");
  return all.at(0);
}

/// What is wrong with kernel_text() and these directives behind it, without the line and the caret.
inline std::string complaint(std::string_view directives) {
  const std::string text = kernel_text("#pragma tuner " + std::string(directives));
  return first_line_of([&] { parse_descriptions(text, "k.cu"); });
}

}  // namespace tuner::test

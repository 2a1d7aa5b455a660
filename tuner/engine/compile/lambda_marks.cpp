#include "tuner/engine/compile/lambda_marks.hpp"

#include <algorithm>
#include <vector>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/mentions.hpp"

namespace tuner::engine {
namespace {

constexpr std::string_view kWhite = " \t\r\n\\";

std::size_t skip_white_and_comments(std::string_view text, std::size_t at) {
  for (;;) {
    const std::size_t begin = std::min(text.find_first_not_of(kWhite, at), text.size());
    at = skip_comment(text, begin);
    if (at == begin) return at;
  }
}

/// The mark behind a `]` and what is white, or behind another mark; empty if there is none.
std::string_view mark_behind(std::string_view text, std::size_t at) {
  at = skip_white_and_comments(text, at);
  for (const std::string_view mark : {"__device__", "__host__"}) {
    const bool is_word = text.size() > at + mark.size() && !is_word_character(text[at + mark.size()]);
    if (is_word && text.substr(at).starts_with(mark)) return text.substr(at, mark.size());
  }
  return {};
}

/// `[[nodiscard]] __device__ int f()` has marks of a function's.
bool is_attribute(std::string_view text, std::size_t close) {
  if (close == 0 || text[close - 1] != ']') return false;
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (text[at] == ']') ++depth;
    if (text[at] == '[' && --depth == 0) return text.substr(at, 2) == "[[";
  }
  return true;
}

/// Not of a function behind a comment or a macro that ends in `]`. `#define LAMBDA [=] __device__` ends with its line.
bool is_of_lambda(std::string_view text, std::size_t close, std::size_t end_of_marks) {
  const std::size_t next = text.find_first_not_of(kWhite, end_of_marks);
  if (next != std::string_view::npos && (text[next] == '(' || text[next] == '{')) return true;
  const std::size_t behind = text.find_first_not_of(" \t\r", end_of_marks);
  const bool ends_line = behind == std::string_view::npos || text[behind] == '\n';
  return ends_line && text.substr(close, end_of_marks - close).find('\n') == std::string_view::npos;
}

/// Calls `found` with each mark of a lambda, until it returns true.
template <typename Found>
void find_marks(std::string_view text, Found found) {
  for (std::size_t close = text.find(']'); close != std::string_view::npos; close = text.find(']', close + 1)) {
    if (mark_behind(text, close + 1).empty() || is_attribute(text, close)) continue;
    std::vector<std::string_view> marks;
    std::size_t at = close + 1;
    for (std::string_view mark = mark_behind(text, at); !mark.empty(); mark = mark_behind(text, at)) {
      at = static_cast<std::size_t>(mark.data() - text.data()) + mark.size();
      marks.push_back(mark);
    }
    if (is_of_lambda(text, close, at) && std::any_of(marks.begin(), marks.end(), found)) return;
  }
}

}  // namespace

bool has_lambda_marks(std::string_view text) {
  bool any = false;
  find_marks(text, [&](std::string_view) { return any = true; });
  return any;
}

void blank_lambda_marks(std::string& text) {
  find_marks(text, [&](std::string_view mark) {
    std::fill_n(text.begin() + (mark.data() - text.data()), mark.size(), ' ');
    return false;
  });
}

}  // namespace tuner::engine

#include "tuner/fleet/job/include_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner::fleet {
namespace {

constexpr std::size_t npos = std::string_view::npos;

std::string quoted(std::string_view text) {
  return search::quote(search::shortened(std::string(text)));
}

/// How long the joint of two lines at `at` is: a backslash, or its trigraph, blanks and a line end. 0: there is none.
std::size_t length_of_joint(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const std::size_t mark = rest.starts_with('\\') ? 1 : rest.starts_with("?\?/") ? 3 : 0;
  if (mark == 0) return 0;
  const std::size_t end = rest.find_first_not_of(" \t\v\f\r", mark);
  return end != npos && rest[end] == '\n' ? end + 1 : 0;
}

/// Lines that go on in the next one as one line, however the compiler joins them.
std::string joined_lines(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t joint = length_of_joint(text, at);
    if (joint == 0) joined += text[at];
    at += joint == 0 ? 1 : joint;
  }
  return joined;
}

/// Behind blanks and comments of one kind. Line ends are blank within a comment only.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t end = text.find_first_not_of(" \t\v\f\r", at);
    if (end == npos) return text.size();
    if (text.substr(end, 2) != "/*") return end;
    const std::size_t close = text.find("*/", end + 2);
    if (close == npos) return text.size();
    at = close + 2;
  }
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Why what is included at `at`, behind the word, escapes.
std::optional<std::string> why_operand_escapes(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(std::min(skip_blanks(text, at), text.size()));
  const char open = rest.empty() ? '\n' : rest.front();
  if (open != '"' && open != '<') {
    return fmt::format("it includes a file whose name is computed, near {}",
                       quoted(rest.substr(0, std::min<std::size_t>(rest.find('\n'), 40))));
  }
  const std::size_t close = rest.find_first_of(open == '<' ? ">\n" : "\"\n", 1);
  if (close == npos || rest[close] == '\n') return "it has an include whose name does not end";
  const std::string_view name = rest.substr(1, close - 1);
  if (const auto why = why_escapes(name)) return fmt::format("it includes {}, {}", quoted(name), *why);
  return std::nullopt;
}

/// `#include` and what else opens files; `__has_include`, which tells whether there is one.
std::optional<std::string> why_directive_escapes(std::string_view text, std::size_t behind_mark) {
  constexpr std::array<std::string_view, 4> kOpening{"include", "include_next", "import", "embed"};
  const std::size_t at = skip_blanks(text, behind_mark);
  const std::string_view word = word_at(text, at);
  if (std::find(kOpening.begin(), kOpening.end(), word) == kOpening.end()) return std::nullopt;
  return why_operand_escapes(text, at + word.size());
}

std::optional<std::string> why_question_escapes(std::string_view text, std::size_t behind_word) {
  const std::size_t at = skip_blanks(text, behind_word);
  // `#ifdef __has_include` asks for no file.
  return at < text.size() && text[at] == '(' ? why_operand_escapes(text, at + 1) : std::nullopt;
}

}  // namespace

std::optional<std::string> why_escapes(std::string_view name) {
  if (name.empty()) return "which is no name";
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\\' || c == '\x7f'; };
  if (std::any_of(name.begin(), name.end(), is_odd)) return "a name with control characters or backslashes";
  if (name.front() == '/') return "an absolute name: a job has only what it carries";
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (rest.substr(0, end) == "..") return "a name with `..`: a job has only what is in the folder of its file";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

std::optional<std::string> why_includes_escape(std::string_view text) {
  if (text.find('\0') != npos) return "it has a zero byte in it";
  const std::string joined = joined_lines(text);
  constexpr std::array<std::string_view, 3> kMarks{"#", "%:", "?\?="};
  for (const std::string_view mark : kMarks) {
    for (std::size_t at = joined.find(mark); at != npos; at = joined.find(mark, at + mark.size())) {
      if (auto why = why_directive_escapes(joined, at + mark.size())) return why;
    }
  }
  for (const std::string_view word : {"__has_include", "__has_include_next", "__has_embed"}) {
    for (std::size_t at = find_word(joined, word); at != npos; at = find_word(joined, word, at + word.size())) {
      if (auto why = why_question_escapes(joined, at + word.size())) return why;
    }
  }
  return std::nullopt;
}

}  // namespace tuner::fleet

#include "tuner/fleet/job/include_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

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

/// `#include` and what else opens files.
std::optional<std::string> why_directive_escapes(std::string_view text, std::size_t behind_mark) {
  constexpr std::array<std::string_view, 4> kOpening{"include", "include_next", "import", "embed"};
  const std::size_t at = skip_blanks(text, behind_mark);
  const std::string_view word = word_at(text, at);
  if (std::find(kOpening.begin(), kOpening.end(), word) == kOpening.end()) return std::nullopt;
  return why_operand_escapes(text, at + word.size());
}

/// What tells whether there is a file, and what the toolkit calls it. NVRTC answers outside of `#if`, too, and expands
/// what stands in the brackets then: no text shows which file is asked for.
constexpr std::array<std::string_view, 4> kQuestions{"__has_include", "__has_include_next", "__has_embed",
                                                     "_CCCL_HAS_INCLUDE"};

/// What stands before `at` on its line, without blanks and without what is no character of the language.
std::string_view before_on_line(std::string_view text, std::size_t at) {
  const std::size_t end_of_line = at == 0 ? npos : text.rfind('\n', at - 1);
  std::string_view before = text.substr(end_of_line + 1, at - end_of_line - 1);
  const auto is_nothing = [](unsigned char c) { return c <= ' ' || c >= 0x7f; };
  while (!before.empty() && is_nothing(before.back())) before.remove_suffix(1);
  while (!before.empty() && is_nothing(before.front())) before.remove_prefix(1);
  return before;
}

/// `import` of C++20, first on its line, in front of what it can import.
std::optional<std::string> why_imports(std::string_view text) {
  constexpr std::string_view kWord = "import";
  for (std::size_t at = find_word(text, kWord); at != npos; at = find_word(text, kWord, at + 1)) {
    const std::string_view before = before_on_line(text, at);
    const std::size_t behind = skip_blanks(text, at + kWord.size());
    if (behind == text.size() || !(before.empty() || before == "export" || before.ends_with("*/"))) continue;
    const char next = text[behind];
    if (next == '"' || next == '<' || is_word_character(next)) {
      return "it has a line that begins with `import`, and a job has only what it carries";
    }
  }
  return std::nullopt;
}

/// The words of a text that are parts of a question. Not the `include` of a directive, of which nothing is made.
void add_parts(std::string_view text, std::set<std::string>& parts) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = word_at(text, at);
    const auto is_part = [&](std::string_view question) { return question.find(word) != npos; };
    if (!word.empty() && std::any_of(kQuestions.begin(), kQuestions.end(), is_part)) {
      if (word != "include" || before_on_line(text, at) != "#") parts.emplace(word);
    }
    at += std::max<std::size_t>(word.size(), 1);
  }
}

/// The words of which a macro can make the question, in order; none if it cannot.
std::vector<std::string> parts_of(std::string_view question, const std::set<std::string>& words) {
  std::vector<std::optional<std::vector<std::string>>> made(question.size() + 1);
  // Underscores in front are there for nothing: the toolkit has macros that put them before a word.
  for (std::size_t at = 0; at <= question.find_first_not_of('_'); ++at) made[at].emplace();
  for (std::size_t at = 0; at < question.size(); ++at) {
    if (!made[at]) continue;
    for (const std::string& word : words) {
      if (word.size() == question.size() || !question.substr(at).starts_with(word)) continue;
      made[at + word.size()] = made[at];
      made[at + word.size()]->push_back(word);
    }
  }
  return made.back().value_or(std::vector<std::string>());
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
  for (std::size_t at = text.find_first_of("\\?"); at != npos; at = text.find_first_of("\\?", at + 1)) {
    const std::string_view joint = text.substr(at, length_of_joint(text, at));
    if (!joint.empty() && joint != "\\\n" && joint != "\\\r\n") {
      return "it joins lines by a trigraph, or with blanks behind the backslash, which compilers read differently";
    }
  }
  const std::string joined = joined_lines(text);
  constexpr std::array<std::string_view, 3> kMarks{"#", "%:", "?\?="};
  for (const std::string_view mark : kMarks) {
    for (std::size_t at = joined.find(mark); at != npos; at = joined.find(mark, at + mark.size())) {
      if (auto why = why_directive_escapes(joined, at + mark.size())) return why;
    }
  }
  for (const std::string_view word : kQuestions) {
    if (has_word(joined, word))
      return fmt::format("it has the word {}, and a job may not ask which files there are", quoted(word));
  }
  return why_imports(joined);
}

std::optional<std::string> why_pasting_escapes(const std::vector<std::string>& texts) {
  std::set<std::string> parts;
  for (const std::string& text : texts) add_parts(joined_lines(text), parts);
  for (const std::string_view question : kQuestions) {
    const std::vector<std::string> words = parts_of(question, parts);
    if (words.empty()) continue;
    return fmt::format(
        "a macro could paste {} together from its words `{}`, and a job may not ask which files there "
        "are: rename one of these",
        quoted(question), fmt::join(words, "`, `"));
  }
  return std::nullopt;
}

}  // namespace tuner::fleet

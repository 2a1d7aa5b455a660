#include "tuner/core/description/directives.hpp"

#include <fmt/format.h>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/host_code.hpp"
#include "tuner/core/description/host_data.hpp"

namespace tuner {
namespace {

constexpr std::string_view kBlank = " \t\v\f\r";

std::size_t skip_blank(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(kBlank, at);
  return next == std::string_view::npos ? text.size() : next;
}

std::size_t skip_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word_character(text[at])) ++at;
  return at;
}

/// Position after the literal that opens at `at`, or npos if it is not closed.
std::size_t skip_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

bool is_open(char c) {
  return c == '(' || c == '[' || c == '{';
}
bool is_close(char c) {
  return c == ')' || c == ']' || c == '}';
}
char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

/// Position of the parenthesis that closes the one `at` points to.
std::size_t find_close(const Span& line, std::size_t at, const Span& word) {
  const std::string_view text = line.text();
  std::vector<std::size_t> open;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = skip_literal(text, at);
      if (end == std::string_view::npos) line.fail("this quote is not closed on its line", at);
      at = end;
      continue;
    }
    if (is_open(c)) open.push_back(at);
    if (is_close(c)) {
      const char expected = closing(text[open.back()]);
      if (c != expected) line.fail(fmt::format("found `{}`, expected `{}`", c, expected), at);
      open.pop_back();
      if (open.empty()) return at;
    }
    ++at;
  }
  line.fail(fmt::format("the `{}` of {} is not closed; end a line with a backslash to continue on the next one",
                        text[open.back()], word.text()),
            open.back());
}

/// The text without the bytes of `lines`, line ends kept. Blanks before a directive go too.
std::string blank_lines(std::string_view text, const std::deque<PreprocessorLine>& lines) {
  std::string result;
  result.reserve(text.size());
  std::size_t at = 0;
  for (const PreprocessorLine& line : lines) {
    result += text.substr(at, line.begin - at);
    while (!result.empty() && (result.back() == ' ' || result.back() == '\t')) result.pop_back();
    for (std::size_t i = line.begin; i < line.end; ++i) {
      if (text[i] != '\n') continue;
      if (text[i - 1] == '\r') result += '\r';
      result += '\n';
    }
    at = line.end;
  }
  result += text.substr(at);
  return result;
}

}  // namespace

Span Span::sub(std::size_t begin, std::size_t count) const {
  const std::size_t first = begin_ + std::min(begin, size());
  return {*source_, *line_, first, first + std::min(count, end_ - first)};
}

Span Span::trimmed() const {
  const std::string_view whole = text();
  const std::size_t first = whole.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return sub(size(), 0);
  return sub(first, whole.find_last_not_of(kBlank) - first + 1);
}

std::size_t Span::find(char wanted, std::size_t from) const {
  const std::string_view whole = text();
  int depth = 0;
  for (std::size_t at = from; at < whole.size(); ++at) {
    const char c = whole[at];
    if (depth == 0 && c == wanted) return at;
    if (is_open(c)) ++depth;
    if (is_close(c)) --depth;
    if (c == '"' || c == '\'') {
      const std::size_t end = skip_literal(whole, at);
      if (end == std::string_view::npos) return end;
      at = end - 1;
    }
  }
  return std::string_view::npos;
}

std::vector<Span> Span::split(char separator) const {
  std::vector<Span> parts;
  if (trimmed().empty()) return parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = find(separator, begin);
    if (end == std::string_view::npos) break;
    parts.push_back(sub(begin, end - begin).trimmed());
    begin = end + 1;
  }
  parts.push_back(sub(begin).trimmed());
  return parts;
}

void Span::fail(const std::string& sentence, std::size_t offset) const {
  source_->fail(line_->offsets[begin_ + std::min(offset, size())], sentence);
}

DirectiveFile::DirectiveFile(std::string file, std::string_view text) : source_(std::move(file), text) {
  for (PreprocessorLine& line : preprocessor_lines(text)) {
    std::string_view word;
    const std::size_t begin = find_directives(line.text, word);
    if (begin != std::string_view::npos) {
      lines_.push_back(std::move(line));
      read_line(lines_.back(), begin);
    } else if (!near_miss_ && !word.empty() && !search::nearest_name(word, {"tuner"}).empty()) {
      near_miss_ = source_.place(line.begin);
    }
  }
  blanked_ = blank_lines(text, lines_);
  is_program_ = has_host_code(text);  // which directives may deny, with an option
  if (is_program_) blanked_ = blank_host_data(blank_host_code(blanked_), text);
  blank_mark(blanked_);
}

void DirectiveFile::read_line(const PreprocessorLine& line, std::size_t begin) {
  if (line.open_comment != PreprocessorLine::kNone) {
    source_.fail(line.open_comment, "a comment that begins on a directive line must end on the same line");
  }
  const std::string_view text = line.text;
  const Span whole(source_, line, 0, text.size());
  std::size_t at = skip_blank(text, begin);
  if (at == text.size())
    source_.fail(line.begin, "`#pragma tuner` without a directive; write kernel(NAME), for example");
  while (at < text.size()) {
    const std::size_t end = skip_word(text, at);
    if (end == at) {
      whole.fail(fmt::format("found `{}`, expected a directive such as param(...)", text[at]), at);
    }
    if (is_digit(text[at])) {
      whole.fail(fmt::format("`{}` is not the name of a directive", text.substr(at, end - at)), at);
    }
    Directive directive{whole.sub(at, end - at), std::nullopt};
    at = skip_blank(text, end);
    if (at < text.size() && text[at] == '(') {
      const std::size_t close = find_close(whole, at, directive.word);
      directive.arguments = whole.sub(at + 1, close - at - 1).trimmed();
      at = skip_blank(text, close + 1);
    }
    directives_.push_back(directive);
  }
}

std::string without_directives(std::string_view source) {
  std::string result;
  result.reserve(source.size());
  std::size_t at = 0;
  for (const PreprocessorLine& line : preprocessor_lines(source)) {
    std::string_view word;
    if (find_directives(line.text, word) == std::string_view::npos) continue;
    result += source.substr(at, line.begin - at);
    while (!result.empty() && (result.back() == ' ' || result.back() == '\t')) result.pop_back();
    at = line.end;
    // What stands before the directive on its line can only be the end of a comment: its line end stays.
    const bool whole_line = result.empty() || result.back() == '\n';
    if (whole_line && source.substr(at).starts_with('\r')) ++at;
    if (whole_line && source.substr(at).starts_with('\n')) ++at;
  }
  result += source.substr(at);
  return result;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return false;
  return skip_word(text, 0) == text.size();
}

}  // namespace tuner

#include "tuner/core/description/code_text.hpp"

#include <algorithm>

#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

constexpr std::string_view kCodeBlank = " \t\v\f\r";

/// What NVRTC makes of the text behind a condition.
enum class Branch { unknown, live, dead };

Branch branch(std::string_view word, std::string_view condition) {
  std::string text;
  for (const char c : condition) {
    if (kCodeBlank.find(c) == std::string_view::npos) text += c;
  }
  constexpr std::string_view kNvrtc = "__CUDACC_RTC__";
  if (word != "if") return text != kNvrtc ? Branch::unknown : word == "ifdef" ? Branch::live : Branch::dead;
  if (text == "0" || text == "!defined(__CUDACC_RTC__)" || text == "!defined__CUDACC_RTC__") return Branch::dead;
  if (text == "1" || text == "defined(__CUDACC_RTC__)" || text == "defined__CUDACC_RTC__") return Branch::live;
  return Branch::unknown;
}

/// `"name"` or `<name>`, behind the word.
std::optional<CodeText::Include> include_named(std::string_view text) {
  const bool is_quoted = text.starts_with('"');
  if (!is_quoted && !text.starts_with('<')) return std::nullopt;
  const std::size_t close = text.find(is_quoted ? '"' : '>', 1);
  if (close == std::string_view::npos || close == 1) return std::nullopt;
  return CodeText::Include{std::string(text.substr(1, close - 1)), is_quoted};
}

/// No list of parameters is longer, and no body that is read whole.
constexpr std::size_t kLongestBrackets = 65536;

class CodeReader {
 public:
  explicit CodeReader(std::string_view source) : source_(source) {
    result_.code = source;
    at_ = mark_length(source);
  }

  CodeText read() {
    bool line_start = true;
    while (at_ < source_.size()) {
      const std::size_t begin = at_;
      if (source_[at_] == '#' && line_start) {
        read_line();
      } else if (skip_comment()) {
        blank(begin, at_);
      } else if (skip_literal()) {
        blank(begin, at_);
        line_start = false;
      } else {
        const char c = source_[at_++];
        if (c == '\n')
          line_start = true;
        else if (kCodeBlank.find(c) == std::string_view::npos)
          line_start = false;
        // A line that goes on.
        if (c == '\\' || is_dead()) blank(begin, at_);
      }
    }
    return std::move(result_);
  }

 private:
  bool starts_with(std::string_view prefix) const { return source_.substr(at_, prefix.size()) == prefix; }
  bool is_dead() const { return dead_ > 0; }

  void enter(Branch next) {
    branches_.push_back(next);
    if (next == Branch::dead) ++dead_;
  }
  Branch leave() {
    const Branch last = branches_.back();
    branches_.pop_back();
    if (last == Branch::dead) --dead_;
    return last;
  }

  void blank(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (result_.code[i] != '\n') result_.code[i] = ' ';
    }
  }

  /// Where the line that `from` stands in ends, those included that it goes on in.
  std::size_t line_end(std::size_t from) const {
    for (;;) {
      const std::size_t end = std::min(source_.find('\n', from), source_.size());
      const std::size_t last = source_.substr(0, end).find_last_not_of(kCodeBlank);
      if (end == source_.size() || last == std::string_view::npos || last < from || source_[last] != '\\') return end;
      from = end + 1;
    }
  }

  bool skip_comment() {
    if (starts_with("//")) {
      at_ = line_end(at_);
      return true;
    }
    if (!starts_with("/*")) return false;
    const std::size_t close = source_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? source_.size() : close + 2;
    return true;
  }

  std::string_view word_before() const {
    std::size_t begin = at_;
    while (begin > 0 && is_word_character(source_[begin - 1])) --begin;
    return source_.substr(begin, at_ - begin);
  }

  bool skip_literal() {
    const char quote = source_[at_];
    if (quote != '"' && quote != '\'') return false;
    const std::string_view before = word_before();
    if (quote == '"' && before.ends_with('R') && before.size() <= 3) {
      const std::size_t length = source_.substr(at_, 18).find('(');  // of the delimiter, with its quote
      if (length != std::string_view::npos) {
        const std::string close = ")" + std::string(source_.substr(at_ + 1, length - 1)) + "\"";
        const std::size_t end = source_.find(close, at_ + length);
        at_ = end == std::string_view::npos ? source_.size() : end + close.size();
        return true;
      }
    }
    // Not what divides the digits of a number.
    if (quote == '\'' && !before.empty() && is_digit(before.front())) return false;
    for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_) {
      if (source_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, source_.size());
    return true;
  }

  /// Behind the line end that a backslash joins to the next line; here, if there is none.
  std::size_t behind_splice() const {
    if (source_[at_] != '\\') return at_;
    const std::size_t end = source_.find_first_not_of(kCodeBlank, at_ + 1);
    return end != std::string_view::npos && source_[end] == '\n' ? end + 1 : at_;
  }

  /// A preprocessor line without its comments and with the lines that it goes on in; moves behind it.
  std::string take_line() {
    std::string line;
    for (++at_; at_ < source_.size() && source_[at_] != '\n';) {
      const std::size_t begin = at_;
      if (const std::size_t next = behind_splice(); next != at_) {
        at_ = next;
        line += ' ';
      } else if (skip_comment()) {
        line += ' ';
      } else if (skip_literal()) {
        line += source_.substr(begin, at_ - begin);
      } else {
        line += source_[at_++];
      }
    }
    return line;
  }

  void read_line() {
    const std::size_t begin = at_;
    const bool was_dead = is_dead();
    const std::string line = take_line();
    const std::size_t behind = at_;
    std::string_view rest = line;
    const auto skip_blanks = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(kCodeBlank), rest.size())); };
    const auto take_word = [&] {
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_word_character);
      const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
      rest.remove_prefix(word.size());
      return word;
    };
    skip_blanks();
    const std::string_view word = take_word();
    skip_blanks();
    rest = rest.substr(0, rest.find_last_not_of(kCodeBlank) + 1);
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      enter(branch(word, rest));
    } else if ((word == "else" || word.starts_with("elif")) && !branches_.empty()) {
      enter(leave() == Branch::live ? Branch::dead : Branch::unknown);
    } else if (word == "endif" && !branches_.empty()) {
      leave();
    } else if (word == "define" && !was_dead) {
      const std::string_view name = take_word();
      result_.macros.push_back({std::string(name), std::string(rest)});
    } else if (word == "include" && !was_dead) {
      if (auto include = include_named(rest))
        result_.includes.push_back(*std::move(include));
      else
        result_.computes_includes = true;
    }
    if (was_dead && is_dead()) return blank(begin, behind);
    const bool is_condition = word.starts_with("if") || word.starts_with("el") || word == "endif";
    if (is_condition || word == "define" || word == "undef")
      result_.directives.push_back({begin, behind, is_condition});
    blank(begin + 1, behind);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::vector<Branch> branches_;  ///< of the conditions that are open
  std::size_t dead_ = 0;          ///< of these
  CodeText result_;
};

}  // namespace

void blank_range(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
  }
}

std::optional<CodeText::Include> include_of(std::string_view line) {
  const auto skip_blank = [&] { line.remove_prefix(std::min(line.find_first_not_of(kCodeBlank), line.size())); };
  constexpr std::string_view kInclude = "include";
  line.remove_prefix(1);
  skip_blank();
  if (!line.starts_with(kInclude)) return std::nullopt;
  line.remove_prefix(kInclude.size());
  skip_blank();
  return include_named(line);
}

std::size_t skip_brackets(std::string_view text, std::size_t open, Between between) {
  std::string expected;
  const std::size_t end = std::min(text.size(), open + kLongestBrackets);
  for (std::size_t at = open; at < end; ++at) {
    const char c = text[at];
    if (c == ';' && between == Between::expression) break;
    if (c == '(') expected += ')';
    if (c == '[') expected += ']';
    if (c == '{') expected += '}';
    if (c == '<') expected += '>';
    if (c == '>' && expected.ends_with('>') && text[at - 1] != '-') expected.pop_back();
    if (c == ')' || c == ']' || c == '}') {
      while (expected.ends_with('>')) expected.pop_back();
      if (!expected.ends_with(c)) return std::string_view::npos;
      expected.pop_back();
    }
    if (expected.empty()) return at + 1;
  }
  return std::string_view::npos;
}

CodeText read_code(std::string_view source) {
  return CodeReader(source).read();
}

std::size_t mark_length(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? 3 : 0;
}

}  // namespace tuner

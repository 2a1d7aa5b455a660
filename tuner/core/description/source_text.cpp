#include "tuner/core/description/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

constexpr std::array<bool, 256> kWord = [] {
  std::array<bool, 256> word{};
  for (std::size_t c = 0; c < word.size(); ++c) {
    word[c] = is_word_character(static_cast<char>(c));
  }
  return word;
}();
bool is_word(char c) {
  return kWord[static_cast<unsigned char>(c)];
}
bool opens(char c) {
  return c == '(' || c == '[' || c == '{';
}
bool closes(char c) {
  return c == ')' || c == ']' || c == '}';
}

/// Characters that mean nothing here wherever they stand outside of comments and literals: words, numbers, blanks, most
/// signs.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain = kWord;
  for (const char c : std::string_view(" \t!$%&()*+,-.:;<=>?@[]^`{|}~")) plain[static_cast<unsigned char>(c)] = true;
  return plain;
}();
/// The same within a line that is read: brackets count there.
constexpr std::array<bool, 256> kPlainInLine = [] {
  std::array<bool, 256> plain = kPlain;
  for (const char c : std::string_view("()[]{}")) plain[static_cast<unsigned char>(c)] = false;
  plain['#'] = true;
  return plain;
}();

bool is_tuner_line(std::string_view line) {
  std::string_view name;
  return find_directives(line, name) != std::string_view::npos;
}

/// Whether the line that begins with this `#` may begin with one of the words, too. Sure where the word is not broken
/// over lines.
bool may_begin(std::string_view source, std::size_t at, std::initializer_list<std::string_view> words) {
  std::size_t begin = at + 1;
  while (begin < source.size() && is_blank(source[begin])) ++begin;
  const std::string_view rest = source.substr(begin, 8);
  return rest.find_first_of("\\/") != std::string_view::npos ||
         std::any_of(words.begin(), words.end(), [&](std::string_view word) { return rest.starts_with(word); });
}

/// Walks over C++ text token by token, as far as needed to know where a line is a preprocessor line.
class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source), at_(mark_length(source)) {}

  /// The lines that begin before `end`.
  std::vector<PreprocessorLine> scan(std::size_t end) {
    std::vector<PreprocessorLine> lines;
    bool line_start = true;
    while (at_ < std::min(source_.size(), end)) {
      const std::size_t begin = at_;
      if (skip_all(kPlain)) {
        line_start = line_start && std::all_of(source_.begin() + static_cast<std::ptrdiff_t>(begin),
                                               source_.begin() + static_cast<std::ptrdiff_t>(at_), is_blank);
        continue;
      }
      const char c = source_[at_];
      if (c == '\n') {
        line_start = true;
        ++at_;
      } else if (is_blank(c)) {
        ++at_;
      } else if (const std::size_t splice = splice_length()) {
        at_ += splice;
      } else if (starts_with("//")) {
        skip_line_comment();
      } else if (starts_with("/*")) {
        skip_block_comment();
      } else if (c == '#' && line_start) {
        // The others need not be copied.
        if (may_begin(source_, at_, {"pragma", "include"})) {
          lines.push_back(read_line());
        } else {
          skip_line();
        }
      } else {
        line_start = false;
        skip_token();
      }
    }
    return lines;
  }

 private:
  char peek(std::size_t distance = 0) const { return at_ + distance < source_.size() ? source_[at_ + distance] : '\0'; }
  /// Two characters.
  bool starts_with(const char (&prefix)[3]) const { return peek() == prefix[0] && peek(1) == prefix[1]; }

  /// Length of a backslash and the line end it hides; compilers allow blanks between the two. 0 if there is none here.
  std::size_t splice_length() const {
    if (peek() != '\\') return 0;
    std::size_t length = 1;
    while (is_blank(peek(length))) ++length;
    return peek(length) == '\n' ? length + 1 : 0;
  }

  void skip_line_comment() {
    // Line by line, because kernels have many comments and every start of a program reads its kernels.
    for (;;) {
      const std::size_t end = source_.find('\n', at_);
      if (end == std::string_view::npos) {
        at_ = source_.size();
        return;
      }
      std::size_t last = end;
      while (last > at_ && is_blank(source_[last - 1])) --last;
      at_ = end;
      if (last == 0 || source_[last - 1] != '\\') return;
      ++at_;  // the comment goes on in the next line
    }
  }

  void skip_block_comment() {
    const std::size_t close = source_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? source_.size() : close + 2;
  }

  /// A string or character literal, from its opening quote to the closing one or the end of the line.
  void skip_literal() {
    const char quote = source_[at_++];
    while (at_ < source_.size() && source_[at_] != '\n') {
      const char c = source_[at_];
      if (const std::size_t splice = splice_length()) {
        at_ += splice;
      } else if (c == '\\' && peek(1) != '\n' && at_ + 1 < source_.size()) {
        at_ += 2;
      } else {
        ++at_;
        if (c == quote) return;
      }
    }
  }

  void skip_raw_string() {
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) return skip_literal();
    const std::string close = fmt::format("){}\"", source_.substr(at_ + 1, open - at_ - 1));
    const std::size_t end = source_.find(close, open);
    at_ = end == std::string_view::npos ? source_.size() : end + close.size();
  }

  /// Skips characters of this kind; false if there is none here.
  bool skip_all(const std::array<bool, 256>& kind) {
    const char* const begin = source_.data() + at_;
    const char* const end = source_.data() + source_.size();
    const char* here = begin;
    while (here != end && kind[static_cast<unsigned char>(*here)]) ++here;
    at_ += static_cast<std::size_t>(here - begin);
    return here != begin;
  }

  /// The word that ends here.
  std::string_view word_before() const {
    std::size_t begin = at_;
    while (begin > 0 && is_word(source_[begin - 1])) --begin;
    return source_.substr(begin, at_ - begin);
  }

  /// Whether the quote here separates digits: 0x1'ff00'0000. No number has more than so many characters.
  bool separates_digits() const {
    constexpr std::size_t kLongestNumber = 200;
    std::size_t begin = at_;
    while (begin > 0 && at_ - begin < kLongestNumber &&
           (is_word(source_[begin - 1]) || source_[begin - 1] == '.' || source_[begin - 1] == '\''))
      --begin;
    return begin < at_ && is_digit(source_[begin]) && is_word(source_[at_ - 1]);
  }

  /// What is not plain: a quote, or a sign that begins nothing.
  void skip_token() {
    const char c = source_[at_];
    if (c == '"') {
      const std::string_view word = word_before();
      const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
      return raw ? skip_raw_string() : skip_literal();
    }
    if (c == '\'' && !separates_digits()) return skip_literal();
    ++at_;
  }

  void skip_line() {
    while (at_ < source_.size() && source_[at_] != '\n') {
      if (skip_all(kPlain)) {
        continue;
      } else if (const std::size_t splice = splice_length()) {
        at_ += splice;
      } else if (starts_with("//")) {
        skip_line_comment();
      } else if (starts_with("/*")) {
        skip_block_comment();
      } else if (peek() == '"' || (peek() == '\'' && !is_word(source_[at_ - 1]))) {
        skip_literal();
      } else {
        ++at_;
      }
    }
  }

  PreprocessorLine read_line() {
    PreprocessorLine line;
    line.begin = at_;
    const std::size_t likely_end = std::min(source_.find('\n', at_), source_.size());
    line.text.reserve(likely_end - at_ + 1);
    line.offsets.reserve(likely_end - at_ + 2);
    const auto copy = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        line.text += source_[i] == '\n' || source_[i] == '\r' ? ' ' : source_[i];
        line.offsets.push_back(static_cast<std::uint32_t>(i));
      }
    };
    const auto blank = [&](std::size_t offset) {
      line.text += ' ';
      line.offsets.push_back(static_cast<std::uint32_t>(offset));
    };
    int depth = 0;
    while (at_ < source_.size() && source_[at_] != '\n') {
      const std::size_t begin = at_;
      if (skip_all(kPlainInLine)) {
        line.text += source_.substr(begin, at_ - begin);
        line.offsets.resize(line.text.size());
        std::iota(line.offsets.end() - static_cast<std::ptrdiff_t>(at_ - begin), line.offsets.end(),
                  static_cast<std::uint32_t>(begin));
      } else if (const std::size_t splice = splice_length()) {
        at_ += splice;
        blank(begin);
      } else if (starts_with("//") && !(depth > 0 && is_tuner_line(line.text))) {
        skip_line_comment();
        blank(begin);
      } else if (starts_with("/*")) {
        skip_block_comment();
        blank(begin);
        const bool closed = at_ >= begin + 4 && source_.substr(begin, at_ - begin).ends_with("*/");
        const bool broken = source_.substr(begin, at_ - begin).find('\n') != std::string_view::npos;
        if ((!closed || broken) && line.open_comment == PreprocessorLine::kNone) line.open_comment = begin;
      } else if (peek() == '"' || (peek() == '\'' && !is_word(line.text.empty() ? ' ' : line.text.back()))) {
        skip_literal();
        copy(begin, at_);
      } else {
        if (opens(peek())) ++depth;
        if (closes(peek())) --depth;
        at_ += starts_with("//") ? 2 : 1;
        copy(begin, at_);
      }
    }
    line.end = at_;
    if (line.end > line.begin && source_[line.end - 1] == '\r') --line.end;
    line.offsets.push_back(static_cast<std::uint32_t>(line.end));
    return line;
  }

  std::string_view source_;
  std::size_t at_;
};

/// A message ends at its first zero byte, so zero bytes of the file become blanks.
std::string without_zeros(std::string text) {
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace

void blank_mark(std::string& text) {
  text.replace(0, mark_length(text), mark_length(text), ' ');
}

SourceText::SourceText(std::string file, std::string_view text)
    : file_(std::move(file)), text_(text), line_starts_{mark_length(text)} {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
    line_starts_.push_back(end + 1);
  }
}

Place SourceText::place(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t line = static_cast<std::size_t>(after - line_starts_.begin());
  return {file_, static_cast<int>(line), static_cast<int>(offset - line_starts_[line - 1] + 1)};
}

std::string_view SourceText::line(int number) const {
  const std::size_t begin = line_starts_[static_cast<std::size_t>(number) - 1];
  std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string SourceText::message(const Place& where, const std::string& sentence) const {
  const std::string_view whole = line(where.line);
  const std::size_t column = std::min(whole.size(), static_cast<std::size_t>(where.column) - 1);
  // Of a long line, what is around the place.
  constexpr std::size_t kReach = 95;
  const std::size_t begin =
      whole.size() <= 2 * kReach || column <= kReach ? 0 : search::beginning_of(whole, column - kReach).size();
  const std::string before = begin == 0 ? "" : "...";
  const std::string text = before + std::string(search::beginning_of(whole.substr(begin), 2 * kReach));
  // The caret's margin repeats the line's tabs, so that it stands under its column however wide a tab is.
  std::string margin = text.substr(0, before.size() + column - begin);
  for (char& c : margin) {
    if (c != '\t') c = ' ';
  }
  return without_zeros(fmt::format("{}:{}:{}: {}\n  {}\n  {}^", file_, where.line, where.column,
                                   search::with_short_quotations(sentence), text, margin));
}

void SourceText::fail(std::size_t offset, const std::string& sentence) const {
  throw Error(Errc::bad_description, message(place(offset), sentence));
}

std::vector<CodeText::Include> all_includes(std::string_view source) {
  // A source is read at every start of a program, and its includes stand at its beginning.
  std::size_t end = 0;
  for (std::size_t at = source.find('#'); at != std::string_view::npos; at = source.find('#', at + 1)) {
    if (may_begin(source, at, {"include"})) end = at + 1;
  }
  std::vector<CodeText::Include> includes;
  for (const PreprocessorLine& line : Scanner(source).scan(end)) {
    if (auto include = include_of(line.text)) includes.push_back(*std::move(include));
  }
  return includes;
}

std::size_t find_directives(std::string_view line, std::string_view& pragma_name) {
  const auto next_word = [&line](std::size_t at) {
    while (at < line.size() && is_blank(line[at])) ++at;
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
    return line.substr(at, end - at);
  };
  const auto after = [&line](std::string_view word) {
    return static_cast<std::size_t>(word.data() - line.data()) + word.size();
  };
  pragma_name = {};
  const std::string_view keyword = next_word(1);
  if (keyword != "pragma") return std::string_view::npos;
  pragma_name = next_word(after(keyword));
  return pragma_name == "tuner" ? after(pragma_name) : std::string_view::npos;
}

std::vector<PreprocessorLine> preprocessor_lines(std::string_view source) {
  return Scanner(source).scan(source.size());
}

}  // namespace tuner

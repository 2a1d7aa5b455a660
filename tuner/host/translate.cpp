#include "tuner/host/translate.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "tuner/core/base/words.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

namespace tuner::host {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
/// The line ends of a text, so that what replaces it does not move what follows.
std::string line_ends(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

/// A position in a text that moves forward over what it expects.
struct Reader {
  std::string_view text;
  std::size_t at = 0;

  bool done() const { return at >= text.size(); }
  char peek(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  void skip_blanks() { at = std::min(text.find_first_not_of(kBlank, at), text.size()); }
  bool take(std::string_view expected) {
    skip_blanks();
    if (text.substr(at, expected.size()) != expected) return false;
    at += expected.size();
    return true;
  }
  /// Empty if none is here.
  std::string_view take_word() {
    skip_blanks();
    const std::size_t end = std::min(text.find_first_not_of(kWord, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    return word;
  }
  /// Moves over a comment, a string or a character that begins here.
  bool skip_opaque() {
    if (peek() == '/' && peek(1) == '/') return move_to(text.find('\n', at), 0);
    if (peek() == '/' && peek(1) == '*') return move_to(text.find("*/", at + 2), 2);
    if (peek() == 'R' && peek(1) == '"' && (at == 0 || !is_word_character(text[at - 1]))) {
      const std::size_t open = text.find('(', at);
      if (open == std::string_view::npos) return move_to(open, 0);
      const std::string end = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
      return move_to(text.find(end, open), end.size());
    }
    // Not what divides the digits of a number.
    if (peek() != '"' && (peek() != '\'' || (at > 0 && is_word_character(text[at - 1])))) return false;
    const char quote = peek();
    for (++at; !done() && peek() != quote && peek() != '\n'; ++at) {
      if (peek() == '\\') ++at;
    }
    at = std::min(at + 1, text.size());
    return true;
  }
  /// From an opening bracket to behind the one that closes it.
  bool skip_brackets(char open, char close) {
    int depth = 0;
    while (!done()) {
      if (skip_opaque()) continue;
      if (peek() == open) ++depth;
      if (peek() == close && --depth == 0) return ++at, true;
      ++at;
    }
    return false;
  }

 private:
  bool move_to(std::size_t end, std::size_t beyond) {
    at = end == std::string_view::npos ? text.size() : end + beyond;
    return true;
  }
};

struct Replacement {
  std::string text;
  std::size_t end;
};

/// `__shared__ T name[][N];` behind an `extern`, with alignments anywhere before the name.
std::optional<Replacement> dynamic_shared(Reader reader) {
  std::string type;
  bool shared = false;
  std::string_view name;
  while (!reader.done()) {
    const std::size_t before = reader.at;
    reader.skip_blanks();
    if (is_word_character(reader.peek())) {
      const std::string_view word = reader.take_word();
      if (word == "__shared__") {
        shared = true;
        continue;
      }
      if (word == "__align__" || word == "alignas" || word == "__attribute__") {
        if (!reader.skip_brackets('(', ')')) return std::nullopt;
        continue;
      }
      if (!name.empty()) type += (type.empty() ? "" : " ") + std::string(name);
      name = word;
    } else if (reader.peek() == ':' || reader.peek() == '<') {
      const std::size_t from = reader.at;
      if (reader.peek() == '<' ? !reader.skip_brackets('<', '>') : !reader.take("::")) return std::nullopt;
      type += std::string(name) + std::string(reader.text.substr(from, reader.at - from));
      name = {};
    } else if (reader.peek() == '[') {
      break;
    } else {
      return std::nullopt;
    }
    if (reader.at == before) return std::nullopt;
  }
  if (!shared || name.empty() || type.empty() || !reader.take("[") || !reader.take("]")) return std::nullopt;
  const std::size_t from = reader.at;
  const std::size_t semicolon = reader.text.find(';', from);
  if (semicolon == std::string_view::npos) return std::nullopt;
  std::string inner(reader.text.substr(from, semicolon - from));
  inner.erase(
      std::remove_if(inner.begin(), inner.end(), [](char c) { return kBlank.find(c) != std::string_view::npos; }),
      inner.end());
  const std::string pointer = inner.empty() ? type + "*" : type + "(*)" + inner;
  const std::string declared =
      inner.empty() ? type + "* const " + std::string(name) : type + " (* const " + std::string(name) + ")" + inner;
  return Replacement{"[[maybe_unused]] static " + declared + " = (" + pointer + ")::tuner::host::dynamic_shared();",
                     semicolon + 1};
}

/// `asm volatile (...)`.
std::optional<Replacement> inline_assembly(Reader reader) {
  for (;;) {
    reader.skip_blanks();
    if (reader.peek() == '(') break;
    const std::string_view word = reader.take_word();
    if (word != "volatile" && word != "__volatile__" && word != "goto" && word != "inline") return std::nullopt;
  }
  if (!reader.skip_brackets('(', ')')) return std::nullopt;
  return Replacement{"::tuner::host::stop(\"Inline PTX cannot run on the CPU\", {__FILE__, __LINE__})", reader.at};
}

/// `extern` something, the reader standing behind the word.
std::optional<Replacement> external(Reader reader) {
  Reader linkage = reader;
  if (linkage.take("\"C\"") || linkage.take("\"C++\"")) {
    const std::size_t end = linkage.at;
    if (linkage.take("{")) return Replacement{"inline namespace tuner_linkage {", linkage.at};
    return Replacement{"", end};
  }
  return dynamic_shared(reader);
}

bool is_empty_for_nvrtc(const std::string& header) {
  const auto text = standard_header(header);
  return text && is_for_host_only({header, std::string(*text)});
}

class Translator {
 public:
  Translator(std::string_view text, std::string_view file_name, const HeaderName& header_name)
      : reader_{text}, header_name_(header_name) {
    result_.text = result_.outline = "#line 1 " + string_literal(file_name) + "\n";
  }

  Translation run() {
    while (!reader_.done()) {
      const std::size_t before = reader_.at;
      if (reader_.skip_opaque()) continue;
      if (reader_.peek() == '#' && at_line_start()) {
        directive();
        continue;
      }
      if (!is_word_character(reader_.peek())) {
        ++reader_.at;
        continue;
      }
      const std::string_view word = reader_.take_word();
      std::optional<Replacement> replacement;
      if (word == "extern") replacement = external(reader_);
      if (word == "asm" || word == "__asm__" || word == "__asm") replacement = inline_assembly(reader_);
      if (replacement) replace(before, *replacement);
    }
    copy(reader_.text.size());
    result_.outline += '\n';
    return std::move(result_);
  }

 private:
  bool at_line_start() const {
    const std::size_t before = reader_.text.find_last_not_of(" \t", reader_.at == 0 ? 0 : reader_.at - 1);
    return reader_.at == 0 || before == std::string_view::npos || reader_.text[before] == '\n';
  }

  void copy(std::size_t to) {
    result_.text += reader_.text.substr(done_, to - done_);
    done_ = to;
  }

  void replace(std::size_t from, const Replacement& replacement) {
    copy(from);
    result_.text += replacement.text + line_ends(reader_.text.substr(from, replacement.end - from));
    done_ = reader_.at = replacement.end;
  }

  /// Adds to the outline, in the line where it stands.
  void outline(std::size_t from, std::string_view directive) {
    result_.outline += line_ends(reader_.text.substr(outlined_, from - outlined_));
    result_.outline += directive;
    outlined_ = from;
    for (const char c : directive) {
      if (c == '\n') outlined_ = reader_.text.find('\n', outlined_) + 1;
    }
  }

  /// Takes account of a condition. The one around the whole text, which says that it was not included before, is none.
  void note_condition(std::string_view word, std::string_view operand) {
    ++directives_;
    if (word == "ifndef" && directives_ == 1) guard_ = operand;
    if (word == "define" && directives_ == 2 && operand == guard_) has_guard_ = true;
    if (word == "if" || word == "ifdef" || word == "ifndef") ++depth_;
    if (word == "endif" && --depth_ == 0) has_guard_ = false;  // what follows is not within it
  }

  bool is_conditional() const { return depth_ > (has_guard_ ? 1 : 0); }

  /// Where a directive ends that may go on in the next line, as a comment in it may.
  std::size_t end_of_directive(std::size_t from) const {
    Reader reader{reader_.text, from};
    while (!reader.done()) {
      if (reader.peek() == '\n') {
        if (reader.text[reader.text.find_last_not_of("\r", reader.at - 1)] != '\\') break;
        ++reader.at;
      } else if (!reader.skip_opaque()) {
        ++reader.at;
      } else if (reader.text[reader.at - 1] == '\n') {
        --reader.at;  // a quote that nothing closes
      }
    }
    return reader.at;
  }

  /// Moves over an include's line; other directives are read on as text, because a macro may hold anything.
  void directive() {
    constexpr std::array kOutlined = {"if",    "ifdef",  "ifndef", "elif",    "else",
                                      "endif", "define", "undef",  "elifdef", "elifndef"};
    const std::size_t from = reader_.at;
    const std::size_t line_end = std::min(reader_.text.find('\n', from), reader_.text.size());
    Reader line{reader_.text.substr(0, line_end), from + 1};
    const std::string_view word = line.take_word();
    ++reader_.at;
    if (word == "pragma" && line.take_word() == "once") return replace(from, {"", line_end});
    if (std::find(kOutlined.begin(), kOutlined.end(), word) != kOutlined.end()) {
      note_condition(word, line.take_word());
      return outline(from, reader_.text.substr(from, end_of_directive(from) - from));
    }
    if (word != "include") return;
    line.skip_blanks();
    const std::size_t open = line.at;
    if (line.peek() != '<' && line.peek() != '"') return;
    const std::size_t close = line.text.find(line.peek() == '<' ? '>' : '"', open + 1);
    if (close == std::string_view::npos) return;
    include(from, std::string(line.text.substr(open + 1, close - open - 1)), close + 1);
  }

  void include(std::size_t from, const std::string& name, std::size_t end) {
    const std::string own = header_name_(name);
    if (!own.empty()) {
      (is_conditional() ? result_.conditional_headers : result_.own_headers).push_back(name);
      outline(from, "#include " + string_literal(outline_name(own)));
      return replace(from, {"#include " + string_literal(own), end});
    }
    if (!is_empty_for_nvrtc(name)) {
      const auto before = reader_.text.substr(0, from);
      const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
      result_.system_headers.push_back({name, line, is_conditional()});
      outline(from, "#include <" + name + ">");
    }
    replace(from, {"", end});
  }

  Reader reader_;
  const HeaderName& header_name_;
  Translation result_;
  std::size_t done_ = 0;
  std::size_t outlined_ = 0;  ///< how far the outline's lines are those of the text
  int depth_ = 0, directives_ = 0;
  std::string_view guard_;
  bool has_guard_ = false;
};

}  // namespace

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::vector<std::string> macros_defined_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t hash = text.find('#'); hash != std::string_view::npos; hash = text.find('#', hash + 1)) {
    Reader reader{text, hash + 1};
    if (reader.take_word() != "define") continue;
    std::string name(reader.take_word());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

Translation translate(std::string_view text, std::string_view file_name, const HeaderName& header_name) {
  return Translator(text, file_name, header_name).run();
}

}  // namespace tuner::host

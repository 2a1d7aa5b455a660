#include "tuner/core/description/host_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <vector>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/description/statements.hpp"

namespace tuner {
namespace {

constexpr std::string_view kLaunch = "<<<";

/// Whether NVRTC surely reads a place, which moves forward.
class Certainty {
 public:
  explicit Certainty(std::string_view source) : source_(source), lines_(live_lines(source)) {}

  bool holds_at(std::size_t place) {
    while (next_ < lines_.size() && static_cast<std::size_t>(lines_[next_].text.data() - source_.data()) < place)
      ++next_;
    return next_ == 0 || lines_[next_ - 1].is_certain_behind;
  }

 private:
  std::string_view source_;
  std::vector<LiveLine> lines_;
  std::size_t next_ = 0;
};

class HostCode {
 public:
  explicit HostCode(std::string_view source) : source_(source), text_(read_code(source)) {
    for (const CodeText::Macro& macro : text_.macros) {
      const bool marks = any_word(macro.body, [&](std::string_view word) { return is_mark(word); });
      (marks ? marking_ : plain_).insert(macro.name);
      if (marks && macro.body.find('{') == kNowhere) marking_next_.insert(macro.name);
      const bool launches = macro.body.find(kLaunch) != kNowhere ||
                            any_word(macro.body, [&](auto word) { return launching_.contains(word); });
      if (launches) launching_.insert(macro.name);
    }
    statements_ = read_statements(source, text_.code);
    for (const Statement& statement : statements_) {
      if (!statement.is_function()) {
        if (statement.says({"class", "struct", "union"})) types_.insert(statement.words.begin(), statement.words.end());
      } else if (is_marked(statement)) {
        if (!statement.says({"__global__"})) marked_.push_back(&statement);
      } else if (!is_specialisation(statement)) {
        unmarked_names_.insert(statement.name);
      }
    }
  }

  bool is_there() const {
    Certainty certainty(source_);
    return std::any_of(statements_.begin(), statements_.end(), [&](const Statement& statement) {
      return certainty.holds_at(statement.range.begin) && needs_host(statement);
    });
  }

  const std::vector<CodeText::Directive>& directives() const { return text_.directives; }

  std::vector<TextRange> ranges() const {
    std::vector<TextRange> found;
    std::set<std::string_view> names;
    for (const Statement& statement : statements_) {
      if (needs_host(statement) || (statement.body && is_hosts(statement))) names.insert(statement.name);
    }
    for (const Statement& statement : statements_) {
      if (!statement.is_function() || is_marked(statement)) continue;
      if (find_word(text_of(statement.range), "__global__") != kNowhere) continue;  // its braces were not understood
      const bool is_declared = !statement.body && names.contains(statement.name);
      if (is_declared || needs_host(statement) || (statement.body && is_hosts(statement)))
        found.push_back(statement.range);
    }
    return found;
  }

 private:
  static constexpr std::array<std::string_view, 4> kMarks{"__device__", "__global__", "constexpr", "consteval"};

  template <typename Wanted>
  static bool any_word(std::string_view text, Wanted wanted) {
    const auto end = text.end();
    for (auto at = std::find_if(text.begin(), end, is_word_character); at != end;) {
      const auto behind = std::find_if_not(at, end, is_word_character);
      if (wanted(std::string_view(&*at, static_cast<std::size_t>(behind - at)))) return true;
      at = std::find_if(behind, end, is_word_character);
    }
    return false;
  }

  bool is_mark(std::string_view word) const {
    return std::find(kMarks.begin(), kMarks.end(), word) != kMarks.end() || marking_.contains(word);
  }

  bool is_marked(const Statement& statement) const {
    return marking_.contains(statement.name) || marking_next_.contains(statement.macro) ||
           std::any_of(statement.words.begin(), statement.words.end(), [&](auto word) { return is_mark(word); });
  }

  /// Surely a function of the host: what says it once, a declaration, a class or a template, says it for all that is
  /// defined or specialised elsewhere. A class that NVRTC reads has only members that are marked, or it is refused.
  bool is_hosts(const Statement& statement) const {
    if (is_specialisation(statement) && !unmarked_names_.contains(statement.name)) return false;
    const auto declares = [&](const Statement* marked) { return is_marked_by(statement, *marked); };
    if (std::any_of(marked_.begin(), marked_.end(), declares) || !is_unmarked(statement)) return false;
    const std::optional<std::string_view> type = type_of_member(statement);
    return !type || !types_.contains(*type);
  }

  /// Whether a marked statement is a declaration of the function, or the template that it specialises.
  bool is_marked_by(const Statement& statement, const Statement& marked) const {
    if (statement.name != marked.name || statement.says({"__host__"})) return false;
    return is_specialisation(statement) || (!marked.body && have_same_types(statement.parameters, marked.parameters));
  }

  /// Whether two lists of parameters differ in names at most, each of which may be missing.
  bool have_same_types(const TextRange& one, const TextRange& other) const {
    const auto types = [&](const TextRange& list) {
      std::vector<std::vector<std::string_view>> parts(1);
      const std::string_view text = text_of({list.begin + 1, list.end - 1});
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        any_word(text.substr(begin, end - begin), [&](std::string_view word) {
          parts.back().push_back(word);
          return false;
        });
        parts.emplace_back();
        begin = end + 1;
      }
      return parts;
    };
    const auto begins_like = [](const auto& a, const auto& b) {
      const std::size_t count = std::min(a.size(), b.size());
      return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count), b.begin());
    };
    const auto a = types(one), b = types(other);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), begins_like);
  }

  /// `template <> float f(float a)`
  bool is_specialisation(const Statement& statement) const {
    std::string_view text = text_of(statement.range);
    if (!text.starts_with("template")) return false;
    text.remove_prefix(std::string_view("template").size());
    const auto next = [&] {
      text.remove_prefix(std::min(
          text.size(), static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_white) - text.begin())));
      const char c = text.empty() ? '\0' : text.front();
      text.remove_prefix(text.empty() ? 0 : 1);
      return c;
    };
    return next() == '<' && next() == '>';
  }

  /// "V" of `V::V(float x)`.
  std::optional<std::string_view> type_of_member(const Statement& statement) const {
    const std::string_view code = text_.code;
    std::size_t at = static_cast<std::size_t>(statement.name.data() - code.data());
    while (at > 0 && (is_white(code[at - 1]) || code[at - 1] == '~')) --at;
    if (at < 2 || code.substr(at - 2, 2) != "::") return std::nullopt;
    std::string_view type;
    for (const std::string_view word : statement.words) {
      if (word.data() < statement.name.data()) type = word;
    }
    return type;
  }

  /// No word of it may be a macro that marks it.
  bool is_unmarked(const Statement& statement) const {
    const std::vector<std::string_view>& words = statement.words;
    if (words.empty() && !statement.macro.empty() && !plain_.contains(statement.macro)) return false;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (is_macro_before(words[i], words[i + 1])) return false;
    }
    return !is_capital(statement.name) &&
           std::none_of(words.begin(), words.end(), [&](auto word) { return is_capital(word); });
  }

  bool is_capital(std::string_view word) const {
    return word.size() > 1 && !is_digit(word.front()) && !plain_.contains(word) && word != "FILE" &&
           word != "operator" &&
           std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
  }

  /// Whether the first of two words must be a macro, of a header perhaps: `device_inline float`. Types stand alone.
  bool is_macro_before(std::string_view word, std::string_view next) const {
    const std::string_view between(word.data() + word.size(),
                                   static_cast<std::size_t>(next.data() - word.data()) - word.size());
    return std::all_of(between.begin(), between.end(), is_white) && !is_keyword(word) && !plain_.contains(word) &&
           next != "const" && next != "volatile" && next != "operator";
  }

  static bool is_keyword(std::string_view word) {
    constexpr std::string_view kKeywords =
        " auto bool char class const constinit consteval constexpr double enum explicit extern final float friend "
        "inline int long noexcept operator override private protected public register requires short signed static "
        "struct template thread_local throw try typename union unsigned virtual void volatile ";
    if (word.starts_with("__")) return true;
    const std::size_t at = kKeywords.find(word);
    return at != kNowhere && kKeywords[at - 1] == ' ' && kKeywords[at + word.size()] == ' ';
  }

  std::string_view text_of(const TextRange& range) const {
    return std::string_view(text_.code).substr(range.begin, range.end - range.begin);
  }

  /// `main`, or a function that launches.
  bool needs_host(const Statement& statement) const {
    if (!statement.body || is_marked(statement)) return false;
    const std::string_view body = text_of(*statement.body);
    return statement.name == "main" || body.find(kLaunch) != kNowhere ||
           (!launching_.empty() && any_word(body, [&](auto word) { return launching_.contains(word); }));
  }

  std::string_view source_;
  CodeText text_;
  std::set<std::string_view> marking_, plain_;           ///< macros of the source that mark functions, and others
  std::set<std::string_view> marking_next_, launching_;  ///< that mark what follows them, and that launch
  std::vector<const Statement*> marked_;                 ///< functions of the device
  std::set<std::string_view> unmarked_names_, types_;    ///< of functions; the words of classes
  std::vector<Statement> statements_;
};

/// Whether it is worth a closer look. With this option all functions are the device's, also `main`.
bool may_have_host_code(std::string_view source) {
  if (source.find(kLaunch) == kNowhere && find_word(source, "main") == kNowhere) return false;
  return source.find("-default-device") == kNowhere && source.find("-device-as-default-execution-space") == kNowhere;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
  }
}

}  // namespace

bool has_host_code(std::string_view source) {
  return may_have_host_code(source) && HostCode(source).is_there();
}

std::string blank_host_code(std::string_view source) {
  std::string result(source);
  const HostCode host(source);
  auto directive = host.directives().begin();
  for (const TextRange& range : host.ranges()) {
    std::size_t at = range.begin;
    for (; directive != host.directives().end() && directive->begin < range.end; ++directive) {
      if (directive->begin < range.begin) continue;
      blank(result, at, directive->begin);
      at = directive->end;
    }
    blank(result, at, range.end);
  }
  return result;
}

std::string without_host_code(std::string_view source) {
  std::string result;
  std::size_t at = 0;
  const HostCode host(source);
  auto directive = host.directives().begin();
  for (const TextRange& range : host.ranges()) {
    result += source.substr(at, range.begin - at);
    // A macro counts, and then the conditions around it.
    std::string kept;
    bool defines = false;
    for (; directive != host.directives().end() && directive->begin < range.end; ++directive) {
      if (directive->begin < range.begin) continue;
      kept += fmt::format("{}\n", source.substr(directive->begin, directive->end - directive->begin));
      defines = defines || !directive->is_condition;
    }
    if (defines) result += kept;
    at = range.end;
    while (at < source.size() && is_white(source[at])) ++at;
  }
  return result += source.substr(at);
}

}  // namespace tuner

#include "tuner/core/description/host_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/statements.hpp"

namespace tuner {
namespace {

constexpr std::string_view kLaunch = "<<<";

/// The conditions of the preprocessor around a place that moves forward. A header's guard is none.
class Conditions {
 public:
  Conditions(std::string_view source, std::string_view code) : source_(source), code_(code), next_(code.find('#')) {}

  void move_to(std::size_t end) {
    for (; next_ < end; next_ = code_.find('#', next_ + 1)) {
      const std::string_view word = directive_at(source_, next_);
      if (word.starts_with("if")) enter(false);
      if (word == "define" && last_ == "ifndef") {
        leave();
        enter(true);
      }
      if (word.starts_with("el") && !are_guards_.empty()) {
        leave();
        enter(false);
      }
      if (word == "endif" && !are_guards_.empty()) leave();
      last_ = word;
    }
  }

  bool any_open() const { return open_ > 0; }

 private:
  void enter(bool is_guard) {
    are_guards_.push_back(is_guard);
    if (!is_guard) ++open_;
  }
  void leave() {
    if (!are_guards_.back()) --open_;
    are_guards_.pop_back();
  }

  std::string_view source_, code_, last_;
  std::size_t next_;
  std::vector<bool> are_guards_;  ///< of those that are open
  std::size_t open_ = 0;          ///< of these, but for guards
};

class HostCode {
 public:
  explicit HostCode(std::string_view source) : source_(source), text_(read_code(source)) {
    for (const CodeText::Macro& macro : text_.macros) {
      const auto stands_in_body = [&](std::string_view mark) { return find_word(macro.body, mark) != kNowhere; };
      const bool marks = std::any_of(kMarks.begin(), kMarks.end(), stands_in_body) ||
                         std::any_of(marking_.begin(), marking_.end(), stands_in_body);
      (marks ? marking_ : plain_).insert(macro.name);
    }
    statements_ = read_statements(source, text_.code);
  }

  bool is_there() const {
    Conditions conditions(source_, text_.code);
    return std::any_of(statements_.begin(), statements_.end(), [&](const Statement& statement) {
      conditions.move_to(statement.range.begin);
      return !conditions.any_open() && needs_host(statement);
    });
  }

  const std::vector<CodeText::Condition>& conditions() const { return text_.conditions; }

  std::vector<TextRange> ranges() const {
    std::vector<TextRange> found;
    std::set<std::string_view> names;
    for (const Statement& statement : statements_) {
      if (needs_host(statement) || (statement.body && is_unmarked(statement))) names.insert(statement.name);
    }
    for (const Statement& statement : statements_) {
      if (!statement.is_function() || is_marked(statement)) continue;
      if (find_word(text_of(statement.range), "__global__") != kNowhere) continue;  // its braces were not understood
      const bool is_declared = !statement.body && names.contains(statement.name);
      if (is_declared || needs_host(statement) || (statement.body && is_unmarked(statement)))
        found.push_back(statement.range);
    }
    return found;
  }

 private:
  static constexpr std::array<std::string_view, 4> kMarks{"__device__", "__global__", "constexpr", "consteval"};

  bool is_marked(const Statement& statement) const {
    return marking_.contains(statement.name) ||
           std::any_of(statement.words.begin(), statement.words.end(), [&](std::string_view word) {
             return std::find(kMarks.begin(), kMarks.end(), word) != kMarks.end() || marking_.contains(word);
           });
  }

  /// Surely a function of the host: no word of it may be a macro that says otherwise.
  bool is_unmarked(const Statement& statement) const {
    const std::vector<std::string_view>& words = statement.words;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (is_macro_before(words[i], words[i + 1])) return false;
    }
    return !is_capital(statement.name) &&
           std::none_of(words.begin(), words.end(), [&](auto word) { return is_capital(word); });
  }

  bool is_capital(std::string_view word) const {
    return word.size() > 1 && !plain_.contains(word) && word != "FILE" && word != "operator" &&
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
    return statement.name == "main" || body.find(kLaunch) != kNowhere;
  }

  std::string_view source_;
  CodeText text_;
  std::set<std::string_view> marking_, plain_;  ///< macros of the source that mark functions, and others
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
  auto condition = host.conditions().begin();
  for (const TextRange& range : host.ranges()) {
    std::size_t at = range.begin;
    for (; condition != host.conditions().end() && condition->begin < range.end; ++condition) {
      if (condition->begin < range.begin) continue;
      blank(result, at, condition->begin);
      at = condition->end;
    }
    blank(result, at, range.end);
  }
  return result;
}

std::string without_host_code(std::string_view source) {
  std::string result;
  std::size_t at = 0;
  for (const TextRange& range : HostCode(source).ranges()) {
    result += source.substr(at, range.begin - at);
    at = range.end;
    while (at < source.size() && is_white(source[at])) ++at;
  }
  return result += source.substr(at);
}

}  // namespace tuner

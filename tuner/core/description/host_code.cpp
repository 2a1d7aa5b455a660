#include "tuner/core/description/host_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <set>
#include <vector>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"

namespace tuner {
namespace {

constexpr std::string_view kLaunch = "<<<";
constexpr std::size_t kNowhere = std::string_view::npos;

struct TextRange {
  std::size_t begin = 0, end = 0;
};

/// What stands outside of functions and classes and ends with a brace or a semicolon.
struct Statement {
  TextRange range;
  std::size_t name_at = kNowhere;  ///< of what is followed by parentheses; nowhere if nothing is
  std::string_view name;
  std::vector<std::string_view> words;  ///< but for the name, outside of brackets
  std::optional<TextRange> body;        ///< of a function

  bool is_function() const { return name_at != kNowhere; }
  bool says(std::initializer_list<std::string_view> wanted) const {
    return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
  }
};

bool is_white(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// The word behind a `#`.
std::string_view directive_at(std::string_view source, std::size_t hash) {
  const std::size_t begin = source.find_first_not_of(" \t", hash + 1);
  if (begin == kNowhere) return {};
  std::size_t end = begin;
  while (end < source.size() && is_word_character(source[end])) ++end;
  return source.substr(begin, end - begin);
}

/// Reads the statements of a source at namespace scope.
class StatementReader {
 public:
  StatementReader(std::string_view source, std::string_view code) : source_(source), code_(code) {}

  std::vector<Statement> read() {
    while (skip_to_statement()) {
      if (code_[at_] == '}' || code_[at_] == ';') {  // of a namespace
        ++at_;
        continue;
      }
      if (!read_statement()) break;
    }
    return std::move(statements_);
  }

 private:
  bool skip_to_statement() {
    while (at_ < code_.size() && (is_white(code_[at_]) || code_[at_] == '#')) ++at_;
    return at_ < code_.size();
  }

  /// False where brackets do not match, and all that follows is uncertain.
  bool read_statement() {
    Statement statement;
    statement.range.begin = at_;
    bool is_value = false;  // behind `=`
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == ';') return finish(statement, at_ + 1);
      if (c == '{') {
        if (!statement.is_function() && opens_namespace(statement)) return ++at_, true;
        const std::size_t end = closing(at_, '{', '}');
        if (end == kNowhere) return false;
        const bool is_body = statement.is_function() && !is_value && !continues(end);
        if (is_body) statement.body = {at_, end};
        if (is_body) return finish(statement, end);
        at_ = end;
      } else if (c == '(' || c == '[') {
        const std::size_t end = closing(at_, c, c == '(' ? ')' : ']');
        if (end == kNowhere) return false;
        if (c == '(' && !statement.is_function() && !is_value) note_name(statement);
        at_ = end;
      } else if (c == '<' && !statement.is_function() && !is_operator(statement) && at_ >= compares_until_) {
        const std::size_t end = closing(at_, '<', '>');
        if (end == kNowhere) compares_until_ = code_.find_first_of(";{", at_);
        at_ = end == kNowhere ? at_ + 1 : end;
      } else if (is_word_character(c)) {
        const std::size_t begin = at_;
        while (at_ < code_.size() && is_word_character(code_[at_])) ++at_;
        const std::string_view word = code_.substr(begin, at_ - begin);
        // A macro that stands for a whole statement: what follows is another.
        if (statement.is_function() && !is_value && follows_parenthesis(begin) && !may_follow_parameters(word))
          return finish(statement, begin);
        statement.words.push_back(word);
      } else {
        is_value = is_value || (c == '=' && !is_operator(statement));
        ++at_;
      }
    }
    return false;
  }

  bool finish(Statement& statement, std::size_t end) {
    at_ = statement.range.end = end;
    statements_.push_back(std::move(statement));
    return true;
  }

  static bool is_operator(const Statement& statement) {
    return !statement.words.empty() && statement.words.back() == "operator";
  }

  static bool opens_namespace(const Statement& statement) {
    return statement.says({"namespace"}) || (statement.words.size() == 1 && statement.words.front() == "extern");
  }

  bool follows_parenthesis(std::size_t at) const {
    while (at > 0 && is_white(code_[at - 1])) --at;
    return at > 0 && code_[at - 1] == ')';
  }

  static bool may_follow_parameters(std::string_view word) {
    for (const std::string_view other : {"const", "volatile", "noexcept", "try", "requires", "throw"}) {
      if (word == other) return true;
    }
    return false;
  }

  /// Whether what follows a brace belongs to what it ended: `f() : a{1}, b{2} {`.
  bool continues(std::size_t end) const {
    while (end < code_.size() && is_white(code_[end])) ++end;
    return end < code_.size() && (code_[end] == ',' || code_[end] == '{');
  }

  /// At the parenthesis that follows a function's name, or something with arguments before it.
  void note_name(Statement& statement) const {
    if (statement.words.empty()) return;
    const std::string_view word = statement.words.back();
    for (const std::string_view other :
         {"__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__", "__align__", "alignas",
          "__attribute__", "decltype", "noexcept", "requires", "static_assert", "asm"}) {
      if (word == other) return;
    }
    if (statement.says({"class", "struct", "union", "enum", "using", "typedef", "namespace"})) return;
    statement.name = word;
    statement.name_at = static_cast<std::size_t>(word.data() - code_.data());
    if (word != "operator") statement.words.pop_back();
  }

  /// Behind the bracket that closes the one at `at`. Of the branches of a condition each continues what stands before
  /// it, and the first what follows.
  std::size_t closing(std::size_t at, char open, char close) const {
    int depth = 0;
    std::vector<int> before;
    for (; at < code_.size(); ++at) {
      const char c = code_[at];
      if (c == '#') {
        const std::string_view word = directive_at(source_, at);
        if (word.starts_with("if")) before.push_back(depth);
        if (word.starts_with("el") && !before.empty()) depth = before.back();
        if (word == "endif" && !before.empty()) before.pop_back();
      } else if (c == open) {
        ++depth;
      } else if (c == close) {
        if (--depth == 0) return at + 1;
      } else if (open == '<' && (c == ';' || c == '{')) {
        return kNowhere;  // a comparison
      }
    }
    return kNowhere;
  }

  std::string_view source_, code_;
  std::size_t at_ = 0;
  std::size_t compares_until_ = 0;  ///< so far `<` opens nothing
  std::vector<Statement> statements_;
};

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
      const bool marks = std::any_of(kMarks.begin(), kMarks.end(),
                                     [&](std::string_view mark) { return find_word(macro.body, mark) != kNowhere; });
      (marks ? marking_ : plain_).insert(macro.name);
    }
    statements_ = StatementReader(source, text_.code).read();
  }

  bool is_there() const {
    Conditions conditions(source_, text_.code);
    return std::any_of(statements_.begin(), statements_.end(), [&](const Statement& statement) {
      conditions.move_to(statement.range.begin);
      return !conditions.any_open() && needs_host(statement);
    });
  }

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
    return std::any_of(statement.words.begin(), statement.words.end(), [&](std::string_view word) {
      return std::find(kMarks.begin(), kMarks.end(), word) != kMarks.end() || marking_.contains(word);
    });
  }

  /// Surely a function of the host: no word of it may be a macro that says otherwise.
  bool is_unmarked(const Statement& statement) const {
    return std::none_of(statement.words.begin(), statement.words.end(), [&](std::string_view word) {
      const bool is_capital = word.size() > 1 && std::none_of(word.begin(), word.end(),
                                                              [](unsigned char c) { return std::islower(c) != 0; });
      return is_capital && !plain_.contains(word) && word != "FILE";
    });
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

bool is_condition(std::string_view line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == kNowhere || line[hash] != '#') return false;
  const std::string_view word = directive_at(line, hash);
  return word.starts_with("if") || word.starts_with("el") || word == "endif";
}

}  // namespace

bool has_host_code(std::string_view source) {
  return may_have_host_code(source) && HostCode(source).is_there();
}

std::string blank_host_code(std::string_view source) {
  std::string result(source);
  for (const TextRange& range : HostCode(source).ranges()) {
    for (std::size_t at = range.begin; at < range.end;) {
      const std::size_t end = std::min(source.substr(0, range.end).find('\n', at), range.end);
      if (!is_condition(source.substr(at, end - at))) {
        std::replace_if(
            result.begin() + static_cast<std::ptrdiff_t>(at), result.begin() + static_cast<std::ptrdiff_t>(end),
            [](char c) { return c != '\r'; }, ' ');
      }
      at = end + 1;
    }
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

#include "tuner/core/description/statements.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/parameter_list.hpp"

namespace tuner {
namespace {

/// Reads the statements of a source at namespace scope.
class StatementReader {
 public:
  StatementReader(std::string_view source, std::string_view code, std::size_t begin = 0)
      : source_(source), code_(code), at_(begin) {}

  std::vector<Statement> read() {
    while (skip_to_statement()) {
      if (code_[at_] == '}' || code_[at_] == ';') {  // of a namespace
        if (code_[at_] == '}' && spaces_.size() > 1) spaces_.pop_back();
        ++at_;
        continue;
      }
      if (!read_statement()) break;
    }
    return std::move(statements_);
  }

 private:
  bool skip_to_statement() {
    do {
      while (at_ < code_.size() && (is_white(code_[at_]) || code_[at_] == '#')) ++at_;
    } while (skip_label());
    return at_ < code_.size();
  }

  /// Of a part of a class.
  bool skip_label() {
    for (const std::string_view label : {"public", "private", "protected"}) {
      if (!code_.substr(at_).starts_with(label) || !next_is(code_.substr(at_, label.size()), ":")) continue;
      at_ = code_.find(':', at_) + 1;
      return true;
    }
    return false;
  }

  /// False where brackets do not match, and all that follows is uncertain.
  bool read_statement() {
    Statement statement;
    statement.range.begin = at_;
    statement.space = spaces_.back();
    statement.macro = std::exchange(macro_, {});
    kind_ = {};
    is_value_ = false;
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == ';') return finish(statement, at_ + 1);
      if (c == '{') {
        if (!statement.is_function() && opens_namespace(statement)) return enter_namespace(statement), true;
        note_type(statement);
        const std::size_t end = behind_handlers(closing(at_, '{', '}'));
        if (end == kNowhere) return false;
        if (!statement.type.empty() && !statement.members) statement.members = {at_ + 1, end - 1};
        const bool is_body = statement.is_function() && !is_value_ && !continues(end);
        if (is_body) statement.body = {at_, end};
        if (is_body) return finish(statement, end);
        at_ = end;
      } else if (c == '(' || c == '[') {
        // Only a macro that is a whole statement has an attribute and no word before it.
        const bool is_next = c == '[' && follows_parenthesis(at_) && code_.substr(at_, 2) == "[[";
        if (is_next && is_whole(statement)) return finish_macro(statement, at_);
        const std::size_t end = closing(at_, c, c == '(' ? ')' : ']');
        if (end == kNowhere) return false;
        if (c == '(' && !statement.is_function() && !is_value_) note_name(statement, end);
        at_ = end;
      } else if (c == '<' && !statement.is_function() && !is_operator(statement) && at_ >= compares_until_) {
        const std::size_t end = closing(at_, '<', '>');
        if (end == kNowhere)
          compares_until_ = code_.find_first_of(";{", at_);
        else if (!statement.words.empty() && statement.words.back() == "template")
          note_templates(statement, end);
        at_ = end == kNowhere ? at_ + 1 : end;
      } else if (is_word_character(c)) {
        const std::size_t begin = at_;
        while (at_ < code_.size() && is_word_character(code_[at_])) ++at_;
        const std::string_view word = code_.substr(begin, at_ - begin);
        if (statement.is_function() && !is_value_ && follows_parenthesis(begin) &&
            !may_follow_parameters(word, statement)) {
          if (is_whole(statement)) return finish_macro(statement, begin);
          forget_name(statement);  // LAUNCH_BOUNDS(256)
        }
        if (!statement.is_function()) add_word(statement, word);
      } else {
        is_value_ = is_value_ || (c == '=' && !is_operator(statement));
        if (c == ':' && !next_is(code_.substr(at_, 1), ":") && code_[at_ - 1] != ':') note_type(statement);
        ++at_;
      }
    }
    return false;
  }

  bool finish(Statement& statement, std::size_t end) {
    at_ = statement.range.end = end;
    // `DEVICE(float) square(float x) {`: the macro before is its type.
    const bool has_type = !std::all_of(statement.words.begin(), statement.words.end(), is_specifier);
    if (statement.is_function() && !has_type && !statement.macro.empty())
      statement.range.begin = static_cast<std::size_t>(statement.macro.data() - code_.data());
    statements_.push_back(std::move(statement));
    return true;
  }

  /// Whether it may be a macro that stands for a whole statement: what follows is another, unless the macro says what
  /// that returns.
  bool is_whole(const Statement& statement) const {
    return statement.is_function() && !is_value_ && statement.words.empty();
  }

  bool finish_macro(Statement& statement, std::size_t end) {
    macro_ = statement.name;
    return finish(statement, end);
  }

  static bool is_operator(const Statement& statement) {
    return !statement.words.empty() && statement.words.back() == "operator";
  }

  /// What the words so far say that the statement is; kept, as it may have a hundred thousand.
  struct Kind {
    bool is_namespace = false;
    bool is_alias = false;
    std::optional<std::size_t> type_key;  ///< which word is `struct` or the like
    std::size_t name = 0;                 ///< which word begins the last name: A of `A<T>::b`
    std::optional<std::size_t> operator_key;
  };

  void add_word(Statement& statement, std::string_view word) {
    if (word == "namespace") kind_.is_namespace = true;
    if (word == "using" || word == "typedef") kind_.is_alias = true;
    if (word == "template" && !next_is(word, "<")) statement.specialises = true;
    const bool is_key = word == "class" || word == "struct" || word == "union" || word == "enum";
    if (is_key && !kind_.type_key) kind_.type_key = statement.words.size();
    if (!kind_.operator_key && !follows_scope(code_, word)) kind_.name = statement.words.size();
    if (word == "operator") kind_.operator_key = statement.words.size();
    statement.words.push_back(word);
  }

  bool opens_namespace(const Statement& statement) const {
    return kind_.is_namespace || (statement.words.size() == 1 && statement.words.front() == "extern");
  }

  /// At the brace of a namespace, or of `extern "C"`.
  void enter_namespace(const Statement& statement) {
    std::size_t space = spaces_.back();
    for (const std::string_view word : statement.words) {
      if (word == "inline") break;  // its names are those of the namespace around it
      if (word != "namespace" && word != "extern") space = space_in(space, word);
    }
    spaces_.push_back(space);
    ++at_;
  }

  std::size_t space_in(std::size_t outer, std::string_view name) {
    return numbers_.try_emplace({outer, name}, numbers_.size() + 1).first->second;
  }

  /// At the brace or the colon behind the head of a class.
  void note_type(Statement& statement) const {
    if (!kind_.type_key || !statement.type.empty() || statement.is_function()) return;
    const std::vector<std::string_view>& words = statement.words;
    statement.type = words.back() == "final" ? words[words.size() - 2] : words.back();
  }

  /// At the first bracket behind `template`.
  void note_templates(Statement& statement, std::size_t end) const {
    statement.templates = {at_ + 1, end - 1};
    statement.specialises = statement.specialises || next_is(code_.substr(at_, 1), ">");
  }

  bool follows_parenthesis(std::size_t at) const {
    while (at > 0 && is_white(code_[at - 1])) --at;
    return at > 0 && code_[at - 1] == ')';
  }

  bool may_follow_parameters(std::string_view word, const Statement& statement) const {
    for (const std::string_view other : {"const", "volatile", "noexcept", "try", "requires", "throw"}) {
      if (word == other) return true;
    }
    // Behind a macro that is a whole statement these begin the next.
    const bool begins_next = statement.words.empty();
    if (!begins_next && (word == "__attribute__" || word == "asm" || word == "__asm__")) return true;
    return next_is(word, "{;");  // a macro for one of these
  }

  /// Behind what a brace ends and the `catch (...) { }` that follow it.
  std::size_t behind_handlers(std::size_t end) const {
    while (end != kNowhere) {
      const std::size_t next = std::min(code_.find_first_not_of(" \t\v\f\r\n", end), code_.size());
      if (find_word(code_.substr(next, 6), "catch") != 0) break;
      const std::size_t open = code_.find('{', next);
      end = open == kNowhere ? open : closing(open, '{', '}');
    }
    return end;
  }

  /// Whether what follows a brace belongs to what it ended: `f() : a{1}, b{2} {`.
  bool continues(std::size_t end) const { return next_is(code_.substr(end, 0), ",{"); }

  /// Whether one of these characters stands behind a part of the code.
  bool next_is(std::string_view part, std::string_view characters) const {
    std::size_t at = static_cast<std::size_t>(part.data() - code_.data()) + part.size();
    while (at < code_.size() && is_white(code_[at])) ++at;
    return at < code_.size() && characters.find(code_[at]) != kNowhere;
  }

  /// At the parenthesis that follows a function's name, or something with arguments before it.
  void note_name(Statement& statement, std::size_t end) {
    std::vector<std::string_view>& words = statement.words;
    if (words.empty()) return;
    for (const std::string_view other :
         {"__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__", "__align__", "alignas",
          "__attribute__", "__declspec", "decltype", "noexcept", "requires", "static_assert", "asm", "__asm__"}) {
      if (words.back() == other) return;
    }
    // `struct MACRO(...) name` defines a type, but `struct timeval now(...)` a function.
    const bool is_type = kind_.type_key && words.size() - *kind_.type_key < 3;
    if (kind_.is_namespace || kind_.is_alias || is_type) return;
    if (next_is(code_.substr(at_, 1), "*&") && !kind_.operator_key) return note_name_within(statement, end);
    std::size_t last = words.size() - 1;
    statement.name = words.back();
    if (kind_.operator_key) {
      last = *kind_.operator_key;
      if (is_operator(statement) && next_is(words.back(), "(") && next_is(code_.substr(end, 0), "("))
        return forget_name(statement);
      const auto begin = static_cast<std::size_t>(words[last].data() - code_.data());
      statement.name = code_.substr(begin, at_ - begin);
    }
    statement.parameters = {at_ + 1, end - 1};
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(kind_.name);
    statement.qualifier.assign(first, words.begin() + static_cast<std::ptrdiff_t>(last));
    for (const std::string_view word : statement.qualifier) statement.space = space_in(statement.space, word);
    words.resize(kind_.name);
  }

  /// `float (*pick(int i))(float)` is a function, `float (*fn)(float)` and `float x(*y)` are none.
  void note_name_within(Statement& statement, std::size_t end) {
    std::size_t at = at_ + 1;
    while (at < end && (is_white(code_[at]) || code_[at] == '*' || code_[at] == '&')) ++at;
    const std::size_t begin = at;
    while (at < end && is_word_character(code_[at])) ++at;
    const std::string_view name = code_.substr(begin, at - begin);
    const std::size_t close = next_is(name, "(") ? closing(code_.find('(', at), '(', ')') : kNowhere;
    is_value_ = name.empty() || close == kNowhere || close > end;
    if (is_value_) return;
    statement.name = name;
    statement.parameters = {code_.find('(', at) + 1, close - 1};
  }

  static void forget_name(Statement& statement) { statement.name = {}; }

  /// Behind the bracket that closes the one at `at`. Of the branches of a condition each continues what stands before
  /// it, and the first what follows.
  std::size_t closing(std::size_t at, char open, char close) const {
    struct Condition {
      int before = 0;
      std::optional<int> behind_first;  ///< once another branch begins
    };
    int depth = 0;
    std::vector<Condition> conditions;
    for (; at < code_.size(); ++at) {
      const char c = code_[at];
      if (c == '#') {
        const std::string_view word = directive_at(source_, at);
        if (word.starts_with("if")) conditions.push_back({depth, std::nullopt});
        if (conditions.empty()) {
          // Of a condition that began before the bracket only the first branch is read.
          if (word.starts_with("el") && open == '<') return kNowhere;
          if (word.starts_with("el")) at = behind_condition(at);
          continue;
        }
        if (word.starts_with("el")) {
          if (!conditions.back().behind_first) conditions.back().behind_first = depth;
          depth = conditions.back().before;
        } else if (word == "endif") {
          depth = conditions.back().behind_first.value_or(depth);
          conditions.pop_back();
        }
      } else if (open == '<' && c == '(') {
        const std::size_t end = closing(at, '(', ')');
        if (end == kNowhere) return end;
        at = end - 1;
      } else if (open == '<' && (code_.substr(at, 2) == "<<" || code_.substr(at, 2) == "<=")) {
        ++at;  // of a value
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

  /// At the `#` of the `#endif` that ends the condition whose `#else` stands at `at`, or at the end.
  std::size_t behind_condition(std::size_t at) const {
    std::size_t open = 1;
    for (at = code_.find('#', at + 1); at != kNowhere; at = code_.find('#', at + 1)) {
      const std::string_view word = directive_at(source_, at);
      if (word.starts_with("if")) ++open;
      if (word == "endif" && --open == 0) return at;
    }
    return code_.size();
  }

  std::string_view source_, code_;
  std::size_t at_;
  std::string_view macro_;  ///< the statement before, if it was one with arguments and no semicolon
  Kind kind_;
  bool is_value_ = false;                                                    ///< what is read stands behind `=`
  std::vector<std::size_t> spaces_{0};                                       ///< that are open
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> numbers_;  ///< of names in spaces
  std::size_t compares_until_ = 0;                                           ///< so far `<` opens nothing
  std::vector<Statement> statements_;
};

}  // namespace

std::vector<Statement> read_statements(std::string_view source, std::string_view code) {
  return StatementReader(source, code).read();
}

std::vector<Statement> read_members(std::string_view source, std::string_view code, const TextRange& members) {
  return StatementReader(source, code.substr(0, members.end), members.begin).read();
}

bool follows_scope(std::string_view code, std::string_view word) {
  auto at = static_cast<std::size_t>(word.data() - code.data());
  while (at > 0 && (is_white(code[at - 1]) || code[at - 1] == '~')) --at;
  return at > 2 && code.substr(at - 2, 2) == "::" && (is_word_character(code[at - 3]) || code[at - 3] == '>');
}

bool is_white(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string_view directive_at(std::string_view source, std::size_t hash) {
  const std::size_t begin = source.find_first_not_of(" \t", hash + 1);
  if (begin == kNowhere) return {};
  std::size_t end = begin;
  while (end < source.size() && is_word_character(source[end])) ++end;
  return source.substr(begin, end - begin);
}

}  // namespace tuner

#include "tuner/core/description/host_data.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/host_code.hpp"
#include "tuner/core/description/parameter_list.hpp"
#include "tuner/core/description/source_text.hpp"
#include "tuner/core/description/statements.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

namespace tuner {
namespace {

template <typename Visit>
void each_word(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
}

/// The first character behind a part of the code that is not blank; 0 at its end.
char next_to(std::string_view code, std::string_view part) {
  auto at = static_cast<std::size_t>(part.data() - code.data()) + part.size();
  while (at < code.size() && is_white(code[at])) ++at;
  return at < code.size() ? code[at] : '\0';
}

/// The declarations of one text.
class Declarations {
 public:
  explicit Declarations(std::string_view source, std::size_t from = 0)
      : source_(source), from_(from), text_(read_code(source)), statements_(read_statements(source, text_.code)) {
    for (const CodeText::Macro& macro : text_.macros) {
      // Of one that names another nothing is known without it.
      const bool marks = macro.body.find("__") != kNowhere || has_word(macro.body, "constexpr");
      (marks ? marking_ : types_).insert(macro.name);
    }
    for (const Statement& statement : statements_) {
      if (statement.is_function()) functions_.insert(statement.name);
      if (!statement.type.empty()) types_.insert(statement.type);
      if (statement.says({"using", "typedef"})) types_.insert(statement.words.begin(), statement.words.end());
    }
  }

  const std::vector<Statement>& statements() const { return statements_; }
  const CodeText& text() const { return text_; }

  std::string_view code_of(const TextRange& range) const {
    return std::string_view(text_.code).substr(range.begin, range.end - range.begin);
  }

  bool is_variable_of_host(const Statement& statement) const {
    return may_be_variable(statement) && !is_constant(statement);
  }

  /// Of a class, other names of types, constants, or the definition of a member outside of its class: by what the rest
  /// would name it. More than these do no harm; empty if it is none of these.
  std::vector<std::string_view> names_of(const Statement& statement) const {
    std::vector<std::string_view> names;
    if (statement.range.begin < from_) return names;
    const auto is_name = [&](std::string_view word) {
      return !is_specifier(word) && !is_type_keyword(word) && next_to(text_.code, word) != ':' &&
             !follows_scope(text_.code, word);
    };
    if (statement.is_function()) {
      if (statement.body && !statement.qualifier.empty()) names.push_back(statement.qualifier.back());
      return names;
    }
    if (statement.specialises || statement.says({"namespace", "enum", "concept", "friend", "operator"})) return names;
    if (statement.says({"using"})) {
      // `using A = B;` and `using a::b;`
      names.push_back(next_to(text_.code, alias(statement)) == '=' ? alias(statement) : statement.words.back());
    } else if (statement.says({"typedef"})) {
      if (code_of(statement.range).find("(") != kNowhere && statement.type.empty()) return names;
      for (const std::string_view word : statement.words) {
        if (std::string_view(",;[{").find(next_to(text_.code, word)) != kNowhere) names.push_back(word);
      }
    } else if (!statement.type.empty()) {
      if (next_to(text_.code, statement.type) == '<') return {};  // of another class
      names.push_back(statement.type);
      for (const std::string_view word : statement.words) {
        if (std::string_view(",;[=").find(next_to(text_.code, word)) != kNowhere) names.push_back(word);
      }
    } else if (may_be_variable(statement) && !statement.says({"template"})) {
      std::copy_if(statement.words.begin(), statement.words.end(), std::back_inserter(names), is_name);
    }
    return names;
  }

  /// A mere declaration of a class: `template <typename T> class A;`
  bool declares_class(const Statement& statement) const {
    return statement.type.empty() && !statement.is_function() && statement.says({"class", "struct", "union"}) &&
           !statement.says({"using", "typedef"}) && !may_be_variable(statement) &&
           code_of(statement.range).find('{') == kNowhere;
  }

  std::string without(const std::vector<TextRange>& ranges) const {
    std::string result(source_);
    for (const TextRange& range : ranges) {
      std::size_t at = range.begin;
      const auto begins = [](const CodeText::Directive& directive, std::size_t place) {
        return directive.begin < place;
      };
      auto directive = std::lower_bound(text_.directives.begin(), text_.directives.end(), range.begin, begins);
      for (; directive != text_.directives.end() && directive->begin < range.end; ++directive) {
        blank_range(result, at, directive->begin);
        at = directive->end;
      }
      blank_range(result, at, range.end);
    }
    return result;
  }

 private:
  static std::string_view alias(const Statement& statement) {
    const auto key = std::find(statement.words.begin(), statement.words.end(), "using");
    return key + 1 == statement.words.end() ? *key : *(key + 1);
  }

  /// What stands before the value.
  std::string_view head_of(const Statement& statement) const {
    const std::string_view code = code_of(statement.range);
    if (statement.is_function()) return code.substr(0, statement.parameters.begin - 1 - statement.range.begin);
    return code.substr(0, std::min(code.find('='), code.find('{')));
  }

  bool may_be_variable(const Statement& statement) const {
    if (statement.specialises || !statement.type.empty() || statement.body || !statement.macro.empty()) return false;
    if (statement.says({"using", "typedef", "namespace", "template", "friend", "operator", "concept", "constexpr",
                        "consteval", "static_assert", "texture", "surface", "asm", "__asm__", "requires"}))
      return false;
    const std::string_view head = head_of(statement);
    if (has_word(code_of(statement.range), "__device__")) return false;  // of a lambda
    if (statement.is_function() && !has_value(statement)) return false;
    std::size_t others = 0, count = 0;
    bool has_type = false;
    for (const std::string_view word : statement.words) {
      if (word.data() >= head.data() + head.size()) break;
      ++count;
      if (word.starts_with("__") || marking_.contains(word)) return false;
      if (is_type_keyword(word))
        has_type = true;
      else if (!is_specifier(word) && !follows_scope(text_.code, word) && !is_declared(word))
        ++others;
      const bool is_large =
          std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
      if (is_large && word.size() > 1 && word != "FILE" && !types_.contains(word) && !is_declared(word)) return false;
    }
    // A word too many may be a macro that marks it.
    return count >= (statement.is_function() ? 1 : 2) && others == (has_type ? 0U : 1U) &&
           (!statement.says({"enum"}) || count > 2) && (statement.is_function() || head.find('{') == kNowhere);
  }

  /// `dim3 grid(n / 256, 1);`, which is surely no function.
  bool has_value(const Statement& statement) const {
    const std::string_view values = code_of(statement.parameters);
    bool has_type = false;
    each_word(values, [&](std::string_view word) { has_type = has_type || is_type_keyword(word); });
    const auto is_number = [](unsigned char c) { return std::isdigit(c) != 0; };
    return !has_type && std::any_of(values.begin(), values.end(), is_number) && !statement.words.empty() &&
           statement.qualifier.empty() && functions_.count(statement.name) == 1;
  }

  /// Whether it is what a statement declares, as `b` in `int *a, b[3];`
  bool is_declared(std::string_view word) const {
    const char next = next_to(text_.code, word);
    return next != '\0' && std::string_view(",;=[{").find(next) != kNowhere;
  }

  /// `const char* name` is none.
  bool is_constant(const Statement& statement) const {
    const std::string_view head = head_of(statement);
    return has_word(head.substr(head.find_last_of('*') == kNowhere ? 0 : head.find_last_of('*')), "const");
  }

  std::string_view source_;
  std::size_t from_;  ///< what begins before has no names here
  CodeText text_;
  std::vector<Statement> statements_;
  std::set<std::string_view> marking_, types_;  ///< macros; names of types, and macros that stand for one
  std::multiset<std::string_view> functions_;
};

/// What is named, beginning with what the device may use.
class Use {
 public:
  void add_program(std::string_view program) {
    program_ = blank_host_variables(blank_host_code(program));
    code_ = read_code(program_);
    follow(code_.code);
    for (const CodeText::Macro& macro : code_.macros) follow(macro.body);
    add_directives(program);
  }

  void add_directives(std::string_view source) {
    for (const PreprocessorLine& line : preprocessor_lines(source)) {
      std::string_view word;
      if (find_directives(line.text, word) != std::string_view::npos) directives_ += line.text + '\n';
    }
    follow(directives_);
  }

  /// Of the text, what stands from `from` on may become blank.
  void add(std::string& text, std::size_t from) {
    texts_.push_back(&text);
    const Declarations& all = declarations_.emplace_back(text, from);
    for (const CodeText::Macro& macro : all.text().macros) follow(macro.body);
    std::size_t read_to = 0;
    for (const Statement& statement : all.statements()) {
      follow(all.code_of({read_to, statement.range.begin}));
      read_to = statement.range.end;
      if (all.declares_class(statement)) continue;
      const std::vector<std::string_view> names = all.names_of(statement);
      if (names.empty()) follow(all.code_of(statement.range));
      for (const std::string_view name : names) waiting_.emplace(name, all.code_of(statement.range));
    }
    follow(all.code_of({read_to, all.text().code.size()}));  // what was not read as statements
  }

  void blank_others() {
    while (!pending_.empty()) {
      const std::string_view text = pending_.back();
      pending_.pop_back();
      each_word(text, [&](std::string_view word) {
        if (!named_.insert(word).second) return;
        const auto [first, last] = waiting_.equal_range(word);
        for (auto at = first; at != last; ++at) pending_.push_back(at->second);
      });
    }
    std::vector<std::string> left;  // for the end: all else refers to the texts
    for (const Declarations& all : declarations_) {
      std::vector<TextRange> unused;
      for (const Statement& statement : all.statements()) {
        const std::vector<std::string_view> names = all.names_of(statement);
        const auto is_named = [&](std::string_view name) { return named_.contains(name); };
        if (!names.empty() && std::none_of(names.begin(), names.end(), is_named)) unused.push_back(statement.range);
      }
      left.push_back(all.without(unused));
    }
    for (std::size_t i = 0; i < left.size(); ++i) *texts_[i] = std::move(left[i]);
  }

 private:
  void follow(std::string_view text) { pending_.push_back(text); }

  std::string program_, directives_;
  CodeText code_;
  std::vector<std::string*> texts_;
  std::deque<Declarations> declarations_;  ///< of each
  std::vector<std::string_view> pending_;
  std::unordered_set<std::string_view> named_;
  std::unordered_multimap<std::string_view, std::string_view> waiting_;
};

}  // namespace

std::string blank_host_variables(std::string_view source) {
  const Declarations all(source);
  std::vector<TextRange> ranges;
  for (const Statement& statement : all.statements()) {
    if (all.is_variable_of_host(statement)) ranges.push_back(statement.range);
  }
  return all.without(ranges);
}

void blank_unused(std::string_view program, std::vector<Header>& headers) {
  Use use;
  use.add_program(program);
  for (Header& header : headers) {
    if (!is_standard(header)) use.add(header.text, 0);
  }
  use.blank_others();
}

std::string blank_host_data(std::string_view source, std::string_view written) {
  std::string result = blank_host_variables(source);
  std::size_t from = 0;
  for (const PreprocessorLine& line : preprocessor_lines(source)) {
    if (include_of(line.text)) from = line.end;
  }
  Use use;
  use.add_directives(written);
  use.add(result, from);
  use.blank_others();
  return result;
}

}  // namespace tuner

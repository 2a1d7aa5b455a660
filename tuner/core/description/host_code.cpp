#include "tuner/core/description/host_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/description/macro_marks.hpp"
#include "tuner/core/description/parameter_list.hpp"
#include "tuner/core/description/statements.hpp"

namespace tuner {
namespace {

std::vector<CodeText::Macro> joined(std::vector<CodeText::Macro> macros, const std::vector<CodeText::Macro>& further) {
  macros.insert(macros.end(), further.begin(), further.end());
  return macros;
}

/// Judges the functions of a source, by the rule in docs/sources.md.
class HostCode {
 public:
  explicit HostCode(std::string_view source, const std::vector<CodeText::Macro>& further = {})
      : source_(source),
        text_(read_code(source)),
        all_macros_(joined(text_.macros, further)),
        macros_(all_macros_),
        statements_(read_statements(source, text_.code)) {
    for (const Statement& statement : statements_) add_members(statement);
  }

  bool is_there() const {
    const std::vector<LiveLine> lines = live_lines(source_);
    const auto is_certain = [&](const Statement& statement) {
      const auto line =
          std::upper_bound(lines.begin(), lines.end(), source_.data() + statement.range.begin,
                           [](const char* place, const LiveLine& candidate) { return place <= candidate.text.data(); });
      return line == lines.begin() || std::prev(line)->is_certain_behind;
    };
    const auto needs = [&](const Statement& statement) { return needs_host(statement) && is_certain(statement); };
    return std::any_of(statements_.begin(), statements_.end(), needs) ||
           std::any_of(members_.begin(), members_.end(), [&](const Member& one) { return needs(one.function); });
  }

  /// The directives in a range.
  std::vector<CodeText::Directive> directives_in(const TextRange& range) const {
    const auto begins = [](const CodeText::Directive& directive, std::size_t place) { return directive.begin < place; };
    const auto& all = text_.directives;
    const auto first = std::lower_bound(all.begin(), all.end(), range.begin, begins);
    return {first, std::lower_bound(first, all.end(), range.end, begins)};
  }

  /// Of the functions of the host, and of their declarations.
  std::vector<TextRange> ranges() {
    note_declarations();
    std::vector<bool> is_hosts(statements_.size());
    std::set<std::string> names;
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      const Statement& statement = statements_[i];
      is_hosts[i] = needs_host(statement) || is_function_of_host(statement);
      if (is_hosts[i] && statement.body && !macros_.defines(statement.name)) names.insert(full_name(statement));
    }
    std::vector<TextRange> found;
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      const Statement& statement = statements_[i];
      if (!is_hosts[i] || has_word(text_of(statement.range), "__global__")) continue;
      if (statement.body || declares_function(statement) || names.contains(full_name(statement)))
        found.push_back(statement.range);
    }
    for (const Member& member : members_) {
      if (is_of_host(member)) found.push_back(member.function.range);
    }
    std::sort(found.begin(), found.end(), [](const TextRange& a, const TextRange& b) { return a.begin < b.begin; });
    return found;
  }

  /// The function that stands at a place, or whose parameters or body do, if nothing marks it; null otherwise.
  const Statement* unmarked_at(std::size_t place) {
    note_declarations();
    const auto next = std::upper_bound(statements_.begin(), statements_.end(), place,
                                       [](std::size_t at, const Statement& one) { return at < one.range.begin; });
    if (next == statements_.begin()) return nullptr;
    const Statement& found = *std::prev(next);
    const bool is_at = found.is_function() && place < found.range.end;
    return is_at && !is_marked(found) && !is_marked_elsewhere(found) ? &found : nullptr;
  }

 private:
  struct Member {
    Statement function;
    std::string_view type;  ///< whose member it is
  };

  /// Each level of classes in classes is read again: only so many.
  void add_members(const Statement& of, int levels = 8) {
    if (!of.members || of.says({"enum"}) || levels == 0) return;
    for (Statement& one : read_members(source_, text_.code, *of.members)) {
      add_members(one, levels - 1);
      if (one.is_function()) members_.push_back({std::move(one), of.type});
    }
  }

  /// As outside of classes, but that a constructor, a destructor and a conversion have no type. Without a virtual
  /// function an object would have another size, and a friend is declared elsewhere.
  bool is_of_host(const Member& member) const {
    const Statement& function = member.function;
    const std::size_t end = function.body ? function.body->begin : function.range.end;
    const std::string_view tail = text_of({std::min(function.parameters.end, end), end});
    if (is_marked(function) || function.says({"virtual"}) || has_word(tail, "override") || has_word(tail, "final"))
      return false;
    if (!function.body && (function.says({"friend"}) || tail.find('=') != kNowhere)) return false;
    const Words words = words_of(function);
    const bool is_conversion = function.name.starts_with("operator") && !words.has_keyword && words.others.empty();
    if (function.name != member.type && !is_conversion) return !may_be_marked(function);
    return words.others.empty() && function.macro.empty();
  }

  /// `A::f`, `A::~A`.
  std::string member_name(std::string_view type, const Statement& function) const {
    const auto at = static_cast<std::size_t>(function.name.data() - text_.code.data());
    return fmt::format("{}::{}{}", type, at > 0 && text_.code[at - 1] == '~' ? "~" : "", function.name);
  }

  std::string member_signature(std::string_view type, const Statement& function) const {
    return fmt::format("{}({})", member_name(type, function),
                       types_in(text_of(function.parameters), text_of(function.templates)));
  }

  /// Whether its class declares it, or all members of its name, for the host.
  bool is_declared_of_host(const Statement& statement) const {
    const std::string_view type = statement.qualifier.back();
    const auto declared = members_of_host_.find(member_name(type, statement));
    return declared != members_of_host_.end() &&
           (declared->second || signatures_of_host_.contains(member_signature(type, statement)));
  }

  bool is_marked(const Statement& statement) const {
    const auto is_mark = [&](std::string_view word) { return is_device_mark(word) || macros_.marks(word); };
    return macros_.marks(statement.name) || macros_.marks_next(statement.macro) ||
           std::any_of(statement.words.begin(), statement.words.end(), is_mark);
  }

  /// `main`, or a function that launches.
  bool needs_host(const Statement& statement) const {
    if (!statement.body || is_marked(statement)) return false;
    const std::string_view body = text_of(*statement.body);
    return statement.name == "main" || body.find(kLaunch) != kNowhere || macros_.launch_in(body);
  }

  void note_declarations() {
    const bool any_specialises =
        std::any_of(statements_.begin(), statements_.end(), [](const Statement& one) { return one.specialises; });
    for (const Statement& statement : statements_) {
      if (!statement.is_function()) {
        if (!statement.type.empty()) classes_.insert(statement.type);
        if (statement.says({"class", "struct", "union", "enum", "using", "typedef"}))
          types_.insert(statement.words.begin(), statement.words.end());
      } else if (!is_marked(statement)) {
        if (any_specialises && !statement.specialises) unmarked_.insert(name_and_count(statement));
      } else if (!statement.says({"__global__"})) {
        bool& is_declared = marked_[signature(statement)];
        is_declared = is_declared || !statement.body;
        if (any_specialises) marked_counts_.insert(name_and_count(statement));
      }
    }
    for (const auto& [function, type] : members_) {
      const bool is_hosts = is_of_host({function, type});
      bool& all = members_of_host_.try_emplace(member_name(type, function), true).first->second;
      all = all && is_hosts;
      if (is_hosts) signatures_of_host_.insert(member_signature(type, function));
    }
  }

  bool is_function_of_host(const Statement& statement) const {
    return statement.is_function() && !is_marked(statement) && !is_marked_elsewhere(statement) &&
           !may_be_marked(statement);
  }

  /// Whether its class, another declaration of it or the template that it specialises says that it is the device's.
  bool is_marked_elsewhere(const Statement& statement) const {
    // Of what a class declares only what is the device's is kept.
    const auto is_class = [&](std::string_view word) { return classes_.contains(word); };
    if (std::any_of(statement.qualifier.begin(), statement.qualifier.end(), is_class))
      return !is_declared_of_host(statement);
    if (statement.says({"__host__"})) return false;
    if (statement.specialises)
      return marked_counts_.contains(name_and_count(statement)) || !unmarked_.contains(name_and_count(statement));
    const auto marked = marked_.find(signature(statement));
    return marked != marked_.end() && (marked->second || !statement.body);
  }

  /// What stands before its name, but for what is known to be no type.
  struct Words {
    bool has_keyword = false, has_macro = false;  ///< `int`; a macro of the source
    std::vector<std::string_view> others;         ///< one of which is the type if nothing else is
  };

  Words words_of(const Statement& statement) const {
    Words words;
    std::string_view before;
    for (const std::string_view word : statement.words) {
      if (std::exchange(before, word) == "requires" && !is_type_keyword(word)) continue;  // a concept
      if (is_type_keyword(word))
        words.has_keyword = true;
      else if (macros_.defines(word))
        words.has_macro = true;
      else if (!is_specifier(word) && !follows_scope(text_.code, word))
        words.others.push_back(word);
    }
    return words;
  }

  /// Whether one of its words may be a macro that marks it.
  bool may_be_marked(const Statement& statement) const {
    const Words words = words_of(statement);
    if (words.others.size() > (words.has_keyword ? 0 : 1)) return true;
    if (!words.others.empty()) return may_be_macro(words.others.front(), statement);
    const bool is_of_macro = words.has_macro || macros_.defines(statement.macro) || macros_.defines(statement.name);
    return !words.has_keyword && !is_of_macro && statement.qualifier.empty();  // no type: all of it may be one
  }

  /// `KERNEL k(...)`, with a word in capitals that names no type of the source.
  bool may_be_macro(std::string_view word, const Statement& statement) const {
    const auto is_small = [](unsigned char c) { return std::islower(c) != 0; };
    return word.size() > 1 && word != "FILE" && std::none_of(word.begin(), word.end(), is_small) &&
           !is_type(word, statement);
  }

  bool is_type(std::string_view word, const Statement& statement) const {
    return types_.contains(word) || has_word(text_of(statement.templates), word);
  }

  /// Whether it is a declaration of a function, and not of a variable with a value in parentheses.
  bool declares_function(const Statement& statement) const {
    const Words words = words_of(statement);
    if (!words.has_keyword && !words.has_macro && words.others.empty()) return !statement.qualifier.empty();
    const std::string_view parameters = text_of(statement.parameters);
    const std::string_view written = source_.substr(statement.parameters.begin, parameters.size());
    if (std::all_of(parameters.begin(), parameters.end(), is_white))
      return written.find_first_of("\"'") == kNowhere;  // a literal is blank in code
    const bool is_void = !statement.words.empty() && statement.words.back() == "void";
    return is_void ||
           declares_parameters(
               parameters, [&](std::string_view word) { return is_type(word, statement); }, may_be_constant(statement));
  }

  /// `const int n(...)`, which a kernel may use; `const int* n(...)` is a function or nothing that one may.
  bool may_be_constant(const Statement& statement) const {
    const std::string_view head = text_of({statement.range.begin, statement.parameters.begin});
    return head.find_first_of("*&") == kNowhere &&
           std::any_of(statement.words.begin(), statement.words.end(),
                       [](std::string_view word) { return word == "const" || word == "constexpr"; });
  }

  std::string_view text_of(const TextRange& range) const {
    return std::string_view(text_.code).substr(range.begin, range.end - range.begin);
  }

  std::string full_name(const Statement& statement) const {
    std::string name = fmt::format("{} {}", statement.space, statement.name);
    if (statement.name.starts_with("operator")) std::erase_if(name, is_white);
    return name;
  }

  std::string signature(const Statement& statement) const {
    return fmt::format("{}({})", full_name(statement),
                       types_in(text_of(statement.parameters), text_of(statement.templates)));
  }

  std::string name_and_count(const Statement& statement) const {
    return fmt::format("{}/{}", full_name(statement), count_parameters(text_of(statement.parameters)));
  }

  std::string_view source_;
  CodeText text_;
  std::vector<CodeText::Macro> all_macros_;
  MacroMarks macros_;
  std::vector<Statement> statements_;
  std::vector<Member> members_;                     ///< functions that classes declare
  std::map<std::string, bool> members_of_host_;     ///< their names, and whether all of that name are the host's
  std::set<std::string> signatures_of_host_;        ///< of those that are
  std::set<std::string_view> classes_, types_;      ///< that are defined; words that name types
  std::map<std::string, bool> marked_;              ///< signatures, and whether one is a mere declaration
  std::set<std::string> marked_counts_, unmarked_;  ///< names of functions with how many parameters they have
};

/// Whether it is worth a closer look. With this option all functions are the device's, also `main`.
bool may_have_host_code(std::string_view source) {
  if (source.find(kLaunch) == kNowhere && !has_word(source, "main")) return false;
  return source.find("-default-device") == kNowhere && source.find("-device-as-default-execution-space") == kNowhere;
}

}  // namespace

bool has_host_code(std::string_view source) {
  return may_have_host_code(source) && HostCode(source).is_there();
}

std::string blank_host_code(std::string_view source, const std::vector<CodeText::Macro>& further) {
  std::string result(source);
  HostCode host(source, further);
  for (const TextRange& range : host.ranges()) {
    std::size_t at = range.begin;
    for (const CodeText::Directive& directive : host.directives_in(range)) {
      blank_range(result, at, directive.begin);
      at = directive.end;
    }
    blank_range(result, at, range.end);
  }
  return result;
}

std::string without_host_code(std::string_view source) {
  std::string result;
  std::size_t at = 0;
  HostCode host(source);
  for (const TextRange& range : host.ranges()) {
    result += source.substr(at, range.begin - at);
    // A macro counts, and then the conditions around it.
    const std::vector<CodeText::Directive> directives = host.directives_in(range);
    if (!std::all_of(directives.begin(), directives.end(), [](const auto& one) { return one.is_condition; })) {
      for (const CodeText::Directive& directive : directives) {
        result += fmt::format("{}\n", source.substr(directive.begin, directive.end - directive.begin));
      }
    }
    at = range.end;
    while (at < source.size() && is_white(source[at])) ++at;
  }
  return result += source.substr(at);
}

std::string unmarked_function_at(std::string_view source, std::size_t place) {
  HostCode host(source);
  const Statement* const found = host.unmarked_at(place);
  return found == nullptr ? std::string() : std::string(found->name);
}

}  // namespace tuner

#include "tuner/core/signature/macro_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/description/source_text.hpp"

namespace tuner {
namespace {

/// The last word in front of a default value, `T` of "typename T = float"; empty where a parameter has no name.
std::string_view parameter_name(std::string_view parameter) {
  parameter = search::trimmed(parameter.substr(0, parameter.find('=')));
  std::size_t begin = parameter.size();
  while (begin > 0 && is_word_character(parameter[begin - 1])) --begin;
  return begin == 0 ? std::string_view() : parameter.substr(begin);
}

/// In characters; what is longer is none, however often it opens another.
constexpr std::size_t kLongestList = 10'000;

/// The names between the `<` at `open` and the `>` that closes it, with their places in `code`.
void note_parameters(std::string_view code, std::size_t open, std::map<std::string_view, std::size_t>& names) {
  int depth = 0;
  int parentheses = 0;
  std::size_t begin = open + 1;
  const std::size_t end = std::min(code.size(), open + kLongestList);
  for (std::size_t at = open; at < end && code[at] != ';' && code[at] != '{'; ++at) {
    const char c = code[at];
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (parentheses > 0) continue;  // where < may compare
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0 && (c != ',' || depth != 1)) continue;
    const std::string_view name = parameter_name(code.substr(begin, at - begin));
    if (!name.empty()) names.emplace(name, static_cast<std::size_t>(name.data() - code.data()));
    begin = at + 1;
    if (depth == 0) return;
  }
}

/// The template parameters that code declares, each where it stands first.
std::map<std::string_view, std::size_t> template_parameters(std::string_view code) {
  std::map<std::string_view, std::size_t> names;
  for (std::size_t at = find_word(code, "template"); at != std::string_view::npos;
       at = find_word(code, "template", at + 1)) {
    const std::size_t open = code.find_first_not_of(" \t\r\n", at + 8);
    if (open != std::string_view::npos && code[open] == '<') note_parameters(code, open, names);
  }
  return names;
}

/// Whether a condition, `#undef` or `#define` of the source names it.
bool is_handled(std::string_view source, std::string_view name) {
  const std::vector<LiveLine> lines = live_lines(source);
  return std::any_of(lines.begin(), lines.end(), [&](const LiveLine& line) {
    return !line.text.starts_with("pragma") && has_word(line.text, name);
  });
}

std::size_t line_of(std::string_view code, std::size_t at) {
  const std::string_view before = code.substr(0, at);
  return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

}  // namespace

std::string macro_conflicts(const KernelDescription& description) {
  const SourceText source(description.file.string(), description.source);
  const CodeText code = read_code(description.blanked_source);
  const std::map<std::string_view, std::size_t> declared = template_parameters(code.code);
  std::string text;
  const auto check = [&](const std::string& name, const Place& place, const char* what, const char* way_out) {
    const auto found = declared.find(name);
    if (found == declared.end() || is_handled(description.blanked_source, name)) return;
    const std::string sentence = fmt::format(
        "{} `{}` is a macro for the compiler, which would put its value in place of the template parameter "
        "`{}` in line {}: rename one of the two{}",
        what, name, name, line_of(code.code, found->second), way_out);
    text += (text.empty() ? "" : "\n");
    text += place.line == 0 ? fmt::format("{}: {}.", place.file.empty() ? source.file() : place.file, sentence)
                            : source.message(place, sentence);
  };
  for (const ProblemProperty& property : description.problem) {
    if (property.kind == ProblemProperty::Kind::constant) check(property.name, property.place, "the constant", "");
  }
  for (const ParameterDescription& parameter : description.parameters) {
    const bool is_t1 = parameter.place.line == 0;
    const char* const way_out = is_t1 ? ", or name it in KernelTypeNames if it is that parameter's value"
                                      : ", or add `; argument` if kernel(...) hands it to that parameter";
    const bool is_macro = parameter.form == ParameterForm::macro || parameter.form == ParameterForm::text;
    if (is_macro) check(parameter.parameter.name, parameter.place, "the parameter", way_out);
  }
  for (const NamedExpression& named : description.names) {
    if (named.is_macro) check(named.name, named.place, "the define", "");
  }
  return text;
}

}  // namespace tuner

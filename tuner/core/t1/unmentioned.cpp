#include "tuner/core/t1/unmentioned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/t1/signature.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

/// Whether a call, a scope or a member stands there rather than a value of the word's own.
bool is_part_of_name(std::string_view code, std::string_view word) {
  for (std::size_t at = find_word(code, word); at != std::string_view::npos; at = find_word(code, word, at + 1)) {
    const std::size_t behind = code.find_first_not_of(" \t\r\n", at + word.size());
    const std::string_view rest = behind == std::string_view::npos ? std::string_view() : code.substr(behind);
    if (rest.starts_with('(') || rest.starts_with("::") || code.substr(0, at).ends_with("::")) return true;
  }
  return false;
}

/// Whether the macro that a line defines has the word as a parameter: `define SQUARE(x) ...`.
bool is_macro_parameter(std::string_view line, std::string_view word) {
  if (!line.starts_with("define")) return false;
  const std::size_t open = line.find('(');
  if (open == 0 || open == std::string_view::npos || !is_word_character(line[open - 1])) return false;
  return has_word(line.substr(open, line.find(')') - open), word);
}

/// A source's code, and the lines of the preprocessor in it that could read a macro.
std::string readers_of_macros(const std::string& text, const std::string& code) {
  std::string readers = code;
  for (const LiveLine& line : live_lines(text)) {
    if (!line.text.starts_with("if") && !line.text.starts_with("el") && !line.text.starts_with("define")) continue;
    const std::string_view words = line.text.substr(0, std::min(line.text.find("//"), line.text.find("/*")));
    readers += fmt::format("\n#{}\n;", words);
  }
  return readers;
}

bool is_left_open(const std::string& text, const std::string& code, std::string_view word) {
  if (declares(code, word) || defines_always(text, word) || is_part_of_name(code, word)) return false;
  const std::vector<LiveLine> lines = live_lines(text);
  return std::none_of(lines.begin(), lines.end(),
                      [&](const LiveLine& line) { return is_macro_parameter(line.text, word); });
}

bool differs_in_case_only(std::string_view a, std::string_view b) {
  return a != b && std::equal(a.begin(), a.end(), b.begin(), b.end(),
                              [](char x, char y) { return in_lower_case(x) == in_lower_case(y); });
}

/// The word of another case that the text reads and leaves to whoever compiles it.
std::optional<std::string> in_another_case(const std::string& text, const std::string& name) {
  const std::string code = read_code(text).code;
  const std::string readers = readers_of_macros(text, code);
  for (std::size_t at = 0; at < readers.size(); ++at) {
    if (!is_word_character(readers[at])) continue;
    const std::size_t begin = at;
    while (at < readers.size() && is_word_character(readers[at])) ++at;
    const std::string word = readers.substr(begin, at - begin);
    if (differs_in_case_only(word, name) && is_declarable(word) && is_left_open(text, code, word)) return word;
  }
  return std::nullopt;
}

bool is_used(const T1Parameter& parameter, const T1Users& users) {
  const auto says = [&](const std::string& text) { return has_word(text, parameter.name); };
  const auto stands_in_value = [&](const T1Parameter& other) {
    return std::any_of(other.values.begin(), other.values.end(),
                       [&](const search::Value& value) { return value.is_name() && says(value.as_name()); });
  };
  return users.specification.mentions(parameter.name) ||
         std::any_of(users.conditions.begin(), users.conditions.end(),
                     [&](const T1Line& line) { return says(line.directive); }) ||
         std::any_of(users.parameters.begin(), users.parameters.end(), stands_in_value);
}

}  // namespace

void check_unmentioned_parameters(const T1Users& users, const std::vector<std::string>& texts) {
  T1Document& document = users.specification.document();
  const auto is_parameter = [&](const std::string& name) {
    return std::any_of(users.parameters.begin(), users.parameters.end(),
                       [&](const T1Parameter& other) { return other.name == name; });
  };
  std::vector<const T1Parameter*> renamed, unused;
  std::string renamings;
  for (const T1Parameter& parameter : users.parameters) {
    const auto says = [&](const std::string& text) { return has_word(text, parameter.name); };
    if (std::any_of(texts.begin(), texts.end(), says)) continue;
    for (const std::string& text : texts) {
      const auto other = in_another_case(text, parameter.name);
      if (!other || is_parameter(*other)) continue;
      renamings += fmt::format("{}`{}` to `{}`", renamed.empty() ? "" : ", ", parameter.name, *other);
      renamed.push_back(&parameter);
      break;
    }
    if (parameter.values.size() > 1 && !is_used(parameter, users)) unused.push_back(&parameter);
  }
  if (!renamed.empty()) {
    throw Error(
        Errc::bad_description,
        fmt::format("{}: {}.Name: the source uses another case: rename {}, also in the expressions of this file.",
                    document.file().string(), renamed.front()->path, renamings));
  }
  if (unused.empty()) return;
  std::string names;
  for (const T1Parameter* parameter : unused) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", parameter->name);
  }
  const bool is_one = unused.size() == 1;
  document.warn(
      is_one ? unused.front()->path : "ConfigurationSpace.TuningParameters",
      fmt::format("{} change{} nothing: neither the source nor an expression of this file uses {}; remove {}, "
                  "or the same code is measured for each value.",
                  names, is_one ? "s" : "", is_one ? "it" : "them", is_one ? "it" : "them"));
}

}  // namespace tuner

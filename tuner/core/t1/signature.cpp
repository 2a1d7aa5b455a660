#include "tuner/core/t1/signature.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/source_words.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

/// The parameters between the parenthesis at `open` and the one that closes it; nothing if conditions divide them.
std::optional<std::vector<std::string_view>> parameters_at(std::string_view source, std::size_t open) {
  std::vector<std::string_view> parameters;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open; at < source.size(); ++at) {
    const char c = source[at];
    if (c == '#') return std::nullopt;
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (depth != 0 && (c != ',' || depth != 1)) continue;
    parameters.push_back(search::trimmed(source.substr(begin, at - begin)));
    begin = at + 1;
    if (depth == 0) break;
  }
  if (parameters.size() == 1 && parameters.front().empty()) parameters.clear();
  return parameters;
}

/// Whether a value may stand behind the word, so that a name there declares nothing.
bool continues_expression(std::string_view word) {
  constexpr std::string_view kWords[] = {"return", "case", "else", "do", "throw", "sizeof", "and", "or", "not"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

/// `int m`, `T* a`: two words, of which the first is no beginning of an expression.
bool begins_declaration(std::string_view statement) {
  statement = search::trimmed(statement);
  std::size_t end = 0;
  while (end < statement.size() && is_word_character(statement[end])) ++end;
  const std::size_t next = statement.find_first_not_of(" \t\r\n*&", end);
  return end > 0 && next != std::string_view::npos && next > end && is_word_character(statement[next]) &&
         !continues_expression(statement.substr(0, end));
}

/// Of code, without the stars, blanks and lines of the preprocessor at its end.
std::string_view without_pointers(std::string_view code) {
  return code.substr(0, code.find_last_not_of(" \t\r\n#*&") + 1);
}

std::string_view last_word(std::string_view code) {
  std::size_t begin = code.size();
  while (begin > 0 && is_word_character(code[begin - 1])) --begin;
  return code.substr(begin);
}

bool ends_value(std::string_view code) {
  const std::string_view word = last_word(code);
  if (word.empty()) return code.ends_with(')') || code.ends_with(']') || code.ends_with('>');
  return !continues_expression(word);
}

/// `const Tile<double,`, and not `int n = 1 << 5,`.
bool ends_in_template_arguments(std::string_view statement) {
  int depth = 0;
  for (std::size_t at = 0; at < statement.size(); ++at) {
    const std::string_view sign = statement.substr(at, 2);
    if (sign == "<<" || sign == "<=" || sign == ">=") {
      ++at;
    } else if (statement[at] == '<') {
      ++depth;
    } else if (statement[at] == '>') {
      --depth;
    }
  }
  return depth > 0 && !has_word(statement, "template");
}

/// Whether a name behind this comma or bracket is declared there: `int m,`, `auto& [`, `[=,` of a lambda.
bool ends_in_declarations(std::string_view code) {
  constexpr std::size_t kLongest = 4096;  // of a declaration
  code.remove_prefix(code.size() - std::min(code.size(), kLongest));
  const std::size_t end = code.find_last_of(";{}()");
  const std::string_view statement = end == std::string_view::npos ? code : code.substr(end + 1);
  if (code.ends_with(',') && begins_declaration(statement) && !ends_in_template_arguments(statement)) return true;
  const std::size_t bracket = code.find_last_of(";{}()[]");
  if (bracket == std::string_view::npos || code[bracket] != '[') return false;
  const std::string_view before = without_pointers(code.substr(0, bracket));
  return last_word(before) == "auto" || !ends_value(before);
}

bool has_enumerator(std::string_view code, std::string_view name) {
  for (std::size_t at = find_word(code, "enum"); at != std::string_view::npos;) {
    const std::size_t open = std::min(code.find_first_of("{;", at), code.size());
    const std::size_t close = std::min(code.find_first_of("};", open), code.size());
    const std::string_view list = code.substr(open, close - open);
    for (std::size_t word = find_word(list, name); word != std::string_view::npos;
         word = find_word(list, name, word + 1)) {
      const std::string_view before = without_pointers(list.substr(0, word));
      if (before.ends_with('{') || before.ends_with(',')) return true;
    }
    at = find_word(code, "enum", close);
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::string_view>> kernel_parameters(std::string_view code, std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  if (const std::size_t scope = kernel.rfind("::"); scope != std::string_view::npos) kernel = kernel.substr(scope + 2);
  if (kernel.empty()) return std::nullopt;
  for (std::size_t at = find_word(code, kernel); at != std::string_view::npos; at = find_word(code, kernel, at + 1)) {
    const std::size_t open = skip_blanks(code, at + kernel.size());
    if (open >= code.size() || code[open] != '(') continue;
    const std::size_t statement = code.find_last_of(";}", at);
    const std::size_t begin = statement == std::string_view::npos ? 0 : statement;
    if (!has_word(code.substr(begin, at - begin), "__global__")) continue;
    return parameters_at(code, open);
  }
  return std::nullopt;
}

bool is_to_const(std::string_view parameter) {
  const std::size_t star = parameter.rfind('*');
  return star != std::string_view::npos && has_word(parameter.substr(0, star), "const");
}

bool may_write_through(std::string_view parameter) {
  return parameter.find('*') != std::string_view::npos && !is_to_const(parameter);
}

std::optional<CertainInclude> included_from_hip(std::string_view source) {
  for (CertainInclude& include : certain_includes(source)) {
    if (include.name.starts_with("hip/")) return std::move(include);
  }
  return std::nullopt;
}

bool defines_always(std::string_view source, std::string_view name) {
  for (const LiveLine& line : live_lines(source)) {
    // `#ifndef NAME`, after which a definition is no more than a default.
    if (line.text.starts_with("if") && has_word(line.text, name)) return false;
    if (line.is_certain && line.text.starts_with("define") && defines(line.text, name)) return true;
  }
  return false;
}

bool declares(std::string_view code, std::string_view name) {
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const std::string_view found = search::trimmed(code.substr(0, at));
    if (found.ends_with('.') || found.ends_with("->")) return true;  // it is a member's
    const bool is_pointer = found.ends_with('*') || found.ends_with('&');
    const std::string_view before = without_pointers(found);
    // No number has an address.
    if (is_pointer && !found.ends_with("&&") && !ends_value(before)) return true;
    if ((before.ends_with(',') || before.ends_with('[')) && ends_in_declarations(before)) return true;
    const std::string_view word = last_word(before);
    if (word.empty() || is_digit(word.front()) || continues_expression(word)) continue;
    // `x * N` is a product, `float* n` a pointer.
    if (!is_pointer || shape_of_type(word) || word == "const" || word == "void" || word == "char") return true;
  }
  return has_enumerator(code, name);
}

}  // namespace tuner

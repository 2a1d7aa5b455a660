#include "tuner/core/t1/signature.hpp"

#include <algorithm>

#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// Parameters between the parenthesis at `open` and the one that closes it.
std::size_t count_parameters(std::string_view source, std::size_t open) {
  int depth = 0;
  std::size_t commas = 0;
  bool any = false;
  for (std::size_t at = open; at < source.size(); ++at) {
    const char c = source[at];
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (depth == 0) break;
    if (c == ',' && depth == 1) ++commas;
    any = any || (at > open && !is_blank(c));
  }
  return any ? commas + 1 : 0;
}

}  // namespace

std::optional<std::size_t> kernel_parameter_count(std::string_view source, std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  if (const std::size_t scope = kernel.rfind("::"); scope != std::string_view::npos) kernel = kernel.substr(scope + 2);
  if (kernel.empty()) return std::nullopt;
  for (std::size_t at = find_word(source, kernel); at != std::string_view::npos;
       at = find_word(source, kernel, at + 1)) {
    const std::size_t open = skip_blanks(source, at + kernel.size());
    if (open >= source.size() || source[open] != '(') continue;
    const std::size_t statement = source.find_last_of(";}", at);
    const std::size_t begin = statement == std::string_view::npos ? 0 : statement;
    if (find_word(source.substr(begin, at - begin), "__global__") == std::string_view::npos) continue;
    return count_parameters(source, open);
  }
  return std::nullopt;
}

bool mentions(std::string_view source, std::string_view name) {
  return find_word(source, name) != std::string_view::npos;
}

bool defines(std::string_view source, std::string_view name) {
  for (std::size_t at = find_word(source, "define"); at != std::string_view::npos;
       at = find_word(source, "define", at + 1)) {
    const std::size_t begin = skip_blanks(source, at + 6);
    if (find_word(source.substr(begin, name.size() + 1), name) == 0) return true;
  }
  return false;
}

}  // namespace tuner

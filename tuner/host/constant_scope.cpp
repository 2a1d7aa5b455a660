#include "tuner/host/constant_scope.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"

namespace tuner::host {
namespace {

/// The scopes in which a text declares it, such as "app::".
void find_scopes(std::string_view name, std::string_view text, std::set<std::string>& found) {
  const std::string read = read_code(text).code;
  const std::string_view code = read;
  std::vector<std::string> scopes;  // of each brace that is open; empty for those that are no namespaces with a name
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == '{') scopes.emplace_back();
    if (code[at] == '}' && !scopes.empty()) scopes.pop_back();
    if (!is_word_character(code[at])) continue;
    const std::size_t begin = at;
    while (at + 1 < code.size() && is_word_character(code[at + 1])) ++at;
    const std::string_view word = code.substr(begin, at + 1 - begin);
    const std::string_view rest = code.substr(at + 1, code.find_first_of(";{=", at) - at - 1);
    if (word == "__constant__" && has_word(code.substr(at + 1, code.find(';', at) - at - 1), name)) {
      std::string all;
      for (const std::string& scope : scopes) all += scope;
      found.insert(all);
    }
    const std::size_t open = at + 1 + rest.size();
    if (word != "namespace" || open >= code.size() || code[open] != '{') continue;
    std::string scope(rest);
    std::erase_if(scope, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    scopes.push_back(scope.empty() ? scope : scope + "::");
    at = open;
  }
}

}  // namespace

std::string constant_with_scope(std::string_view name, std::span<const std::string_view> texts) {
  std::set<std::string> found;
  for (const std::string_view text : texts) find_scopes(name, text, found);
  return (found.size() == 1 ? *found.begin() : std::string()) + std::string(name);
}

}  // namespace tuner::host

#include "tests/structure/own_names.hpp"

#include <algorithm>
#include <cctype>

#include "tests/structure/foreign_names.hpp"
#include "tests/support/files.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"

namespace tuner::test {
namespace {

namespace fs = std::filesystem;
using Tokens = std::vector<std::string_view>;

bool is_name(std::string_view token) {
  return is_word_character(token[0]) && !is_digit(token[0]);
}

Tokens tokens_of(std::string_view code) {
  Tokens tokens;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at + 1;
    if (is_word_character(code[at])) {
      while (end < code.size() && is_word_character(code[end])) ++end;
    } else if (code.substr(at, 2) == "::" || code.substr(at, 2) == "->") {
      ++end;
    }
    if (!std::isspace(static_cast<unsigned char>(code[at]))) tokens.push_back(code.substr(at, end - at));
    at = end;
  }
  return tokens;
}

bool is_capital(std::string_view name, std::size_t i) {
  return name.size() > i && std::isupper(static_cast<unsigned char>(name[i]));
}

/// `Type`, `kConstant`, `MACRO`: our style gives such names to nothing that belongs to an object.
bool stands_alone(std::string_view name) {
  return is_capital(name, 0) || (name[0] == 'k' && is_capital(name, 1));
}

constexpr std::string_view kBeforeTypes[] = {"class", "struct",   "enum", "union",
                                             "using", "typename", "auto", "TUNER_API"};
constexpr std::string_view kBeforeValues[] = {"return", "else", "co_return", "throw", "case", "new", "do"};
constexpr std::string_view kLibraries[] = {"std", "fmt", "nlohmann", "chrono", "filesystem"};

template <std::size_t N>
bool is_one_of(std::string_view token, const std::string_view (&list)[N]) {
  return std::find(list, list + N, token) != list + N;
}

}  // namespace

OwnNames own_names(std::string_view source) {
  const CodeText text = read_code(source);
  const Tokens tokens = tokens_of(text.code);
  OwnNames names;
  std::set<std::string_view> local, elsewhere;  // what is declared in any scope, and what is not only called
  std::vector<bool> namespaces;                 // of each open brace, whether it is a namespace's
  std::size_t statement = 0;                    // where it begins
  const auto token = [&](std::size_t i) { return i < tokens.size() ? tokens[i] : std::string_view(";"); };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view name = tokens[i], before = token(i - 1), next = token(i + 1);
    if (name == "{") {
      namespaces.push_back(std::find(&tokens[statement], &tokens[i], "namespace") != &tokens[i]);
    } else if (name == "}" && !namespaces.empty()) {
      namespaces.pop_back();
    }
    if (name == "{" || name == "}" || name == ";") statement = i + 1;
    if (!is_name(name)) continue;
    names.words.emplace(name);

    const bool is_called = next == "(";
    const bool is_declared = is_one_of(before, kBeforeTypes) || (before == "." && token(i - 2) == ".") ||
                             (is_called && (before == ">" || before == "&" || before == "*" ||
                                            (is_name(before) && !is_one_of(before, kBeforeValues))));
    if (is_declared || before == "operator") local.insert(name);
    const bool is_parameter = before == "." || token(i - 2) == "<" || token(i - 2) == ",";  // of a template
    const bool is_outside = !is_parameter && std::find(namespaces.begin(), namespaces.end(), false) == namespaces.end();
    if (is_outside && (is_declared || (stands_alone(name) && (next == "=" || next == "[" || next == "{"))))
      names.declared.emplace(name);

    if (before == "." || before == "->" || (before == "::" && is_one_of(token(i - 2), kLibraries))) continue;
    if (!is_called) elsewhere.insert(name);
    if (stands_alone(name) || (is_called && name.find('_') != std::string_view::npos)) names.used.emplace(name);
  }
  for (const CodeText::Macro& macro : text.macros) {
    names.words.insert(macro.name);
    names.declared.insert(macro.name);
  }
  std::erase_if(names.used, [&](const std::string& name) {
    return names.declared.contains(name) || local.contains(name) || (!stands_alone(name) && elsewhere.contains(name));
  });
  return names;
}

std::map<std::string, OwnNames> read_own_names(const fs::path& root, const std::vector<std::string>& folders) {
  std::map<std::string, OwnNames> files;
  for (const std::string& file : cpp_files(root, folders)) {
    const std::string source = read_bytes(root / file);
    OwnNames names = own_names(source);
    names.files = files_of_ours(root, file, read_code(source));
    files.emplace(file, std::move(names));
  }
  return files;
}

std::vector<std::string> find_missing(const std::map<std::string, OwnNames>& files) {
  std::map<std::string, std::string> header_of;
  for (const auto& [file, names] : files) {
    if (!file.ends_with(".hpp")) continue;
    for (const std::string& name : names.declared) header_of.emplace(name, file);
  }
  std::vector<std::string> missing;
  for (const auto& [file, names] : files) {
    std::set<std::string> reached{file}, left = names.used;
    // A template's calls are looked up where it is used.
    if (file.ends_with(".hpp")) std::erase_if(left, [](const std::string& name) { return !stands_alone(name); });
    for (std::vector<std::string> open{file}; !open.empty();) {
      const auto found = files.find(open.back());
      open.pop_back();
      if (found == files.end()) continue;
      if (found->first != file)
        std::erase_if(left, [&](const std::string& name) { return found->second.words.contains(name); });
      for (const std::string& next : found->second.files) {
        if (reached.insert(next).second) open.push_back(next);
      }
    }
    for (const std::string& name : left) {
      if (const auto header = header_of.find(name); header != header_of.end())
        missing.push_back(file + " uses " + name + " of " + header->second + ", which it does not include");
    }
  }
  return missing;
}

}  // namespace tuner::test

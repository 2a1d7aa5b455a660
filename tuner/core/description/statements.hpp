#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace tuner {

inline constexpr std::size_t kNowhere = std::string_view::npos;

struct TextRange {
  std::size_t begin = 0, end = 0;
};

/// What stands outside of functions and classes and ends with a brace or a semicolon.
struct Statement {
  TextRange range;
  std::string_view name;     ///< what is followed by parentheses, `operator` and its sign; empty if nothing is
  std::string_view macro;    ///< with arguments, right before it, which may say what the words do not
  std::string_view type;     ///< of a class, if it is defined here
  TextRange parameters;      ///< between the parentheses behind the name
  TextRange templates;       ///< between the brackets of the last `template <...>`
  bool specialises = false;  ///< `template <> ...`, `template void f<float>(float);`
  std::size_t space = 0;     ///< a number for the namespaces and classes that the name is in
  std::vector<std::string_view> qualifier;  ///< those of them that stand before the name
  std::vector<std::string_view> words;      ///< before the name, outside of brackets; without one, all
  std::optional<TextRange> body;            ///< of a function
  std::optional<TextRange> members;         ///< of a class, if it is defined here: between its braces

  bool is_function() const { return !name.empty(); }
  bool says(std::initializer_list<std::string_view> wanted) const {
    return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
  }
};

/// Those of a source at namespace scope, or of the members of a class, up to where brackets do not match; `code` is its
/// CodeText::code.
std::vector<Statement> read_statements(std::string_view source, std::string_view code);
std::vector<Statement> read_members(std::string_view source, std::string_view code, const TextRange& members);

/// Whether a word of the code goes on with what stands before it: "type" of `A<T>::type`.
bool follows_scope(std::string_view code, std::string_view word);
bool is_white(char c);
/// The word behind a `#`.
std::string_view directive_at(std::string_view source, std::size_t hash);

}  // namespace tuner

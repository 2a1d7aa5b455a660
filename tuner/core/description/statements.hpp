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
  std::string_view name;                ///< what is followed by parentheses; empty if nothing is
  std::string_view macro;               ///< with arguments, right before it, which may say what the words do not
  TextRange parameters;                 ///< with the parentheses behind the name
  std::vector<std::string_view> words;  ///< but for the name, outside of brackets
  std::optional<TextRange> body;        ///< of a function

  bool is_function() const { return !name.empty(); }
  bool says(std::initializer_list<std::string_view> wanted) const {
    return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
  }
};

/// Those of a source at namespace scope, up to where brackets do not match; `code` is its CodeText::code.
std::vector<Statement> read_statements(std::string_view source, std::string_view code);

bool is_white(char c);
/// The word behind a `#`.
std::string_view directive_at(std::string_view source, std::size_t hash);

}  // namespace tuner

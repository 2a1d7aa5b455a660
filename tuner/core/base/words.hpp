#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tuner {

// Characters and words of ASCII, whatever the locale.

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr char in_lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// What identifiers, keywords and numbers of C++ consist of: a letter, a digit or `_`.
constexpr bool is_word_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// The next place at which `word` stands as a whole word; npos if there is none.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

inline bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}

/// Whether the text says `#define NAME`.
bool defines(std::string_view text, std::string_view name);

/// What spellings of one name have in common, `shared_memory` and `sharedMemory`: no capitals, no underscores.
std::string folded(std::string_view name);

}  // namespace tuner

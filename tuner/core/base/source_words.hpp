#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tuner/core/base/words.hpp"

namespace tuner {

inline constexpr std::string_view kWhitespace = " \t\v\f\r\n";

inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kWhitespace), text.size()));
  return text.substr(0, text.find_last_not_of(kWhitespace) + 1);
}

/// `v2::scale`: scale
inline std::string_view last_part(std::string_view name) {
  const std::size_t scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

/// A word and where it stands; empty behind the last.
struct Word {
  std::string_view text;
  std::size_t at = 0;
};

inline Word next_word(std::string_view text, std::size_t from) {
  while (from < text.size() && !is_word_character(text[from])) ++from;
  std::size_t end = from;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return {text.substr(from, end - from), from};
}

inline std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kWhitespace, at), text.size());
}

}  // namespace tuner

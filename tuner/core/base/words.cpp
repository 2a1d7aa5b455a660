#include "tuner/core/base/words.hpp"

#include <algorithm>

namespace tuner {

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end])))
      return at;
  }
  return std::string_view::npos;
}

bool defines(std::string_view text, std::string_view name) {
  constexpr std::string_view kDefine = "define";
  for (std::size_t at = find_word(text, name); at != std::string_view::npos; at = find_word(text, name, at + 1)) {
    std::string_view before = text.substr(0, at);
    before = before.substr(0, before.find_last_not_of(" \t") + 1);
    const std::string_view tail = before.substr(before.size() - std::min(before.size(), kDefine.size() + 1));
    if (tail.ends_with(kDefine) && has_word(tail, kDefine)) return true;
  }
  return false;
}

std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '_') text += in_lower_case(c);
  }
  return text;
}

}  // namespace tuner

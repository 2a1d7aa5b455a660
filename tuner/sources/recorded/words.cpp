#include "tuner/sources/recorded/words.hpp"

#include <utility>

namespace tuner::sources {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

/// Whether a backslash says something of `next`, or stands for itself.
bool is_escaped(char next, char quote, Quoting quoting) {
  if (quoting != Quoting::shell || quote == 0) return true;
  return quote == '"' && std::string_view("\"\\$`\n").find(next) != std::string_view::npos;
}

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view text, Quoting quoting) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size() && is_escaped(text[i + 1], quote, quoting)) {
      const char next = text[++i];
      if (next == '\n' && quoting == Quoting::shell) continue;  // the line goes on
      word += next;
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || (c == '\'' && quoting != Quoting::nvcc)) {
      quote = c;
      in_word = true;
    } else if (kBlanks.find(c) == std::string_view::npos) {
      word += c;
      in_word = true;
    } else if (std::exchange(in_word, false)) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (quote != 0) return std::nullopt;
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace tuner::sources

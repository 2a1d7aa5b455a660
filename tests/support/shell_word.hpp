#pragma once

#include <string>

namespace tuner::test {

/// `text` as one word for a shell.
inline std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace tuner::test

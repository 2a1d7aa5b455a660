#include "tuner/cli/message.hpp"

#include <cstdio>
#include <string>

#include "tuner/core/text.hpp"

namespace tuner::cli {

namespace {

void write(std::string_view text, std::FILE* file) {
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), file);
}

}  // namespace

void say(std::string_view sentence) {
  write("tuner: " + std::string(sentence) + "\n", stderr);
}

void warn(const std::string& sentence) {
  say("warning: " + sentence);
}

void print(std::string_view text) {
  write(text, stdout);
}

}  // namespace tuner::cli

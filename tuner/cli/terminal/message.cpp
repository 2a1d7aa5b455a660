#include "tuner/cli/terminal/message.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::cli {

namespace {

void write(std::string_view text, std::FILE* file) {
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), file);
}

/// `sentence` with "..." for the login and the password of each address in it, "scheme://LOGIN:PASSWORD@HOST": somebody
/// may have typed one where it has no place.
std::string without_passwords(std::string_view sentence) {
  std::string text(sentence);
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
    at += 3;
    const std::size_t end = std::min(text.find_first_of(" \n\t`\"", at), text.size());
    const std::size_t host = text.rfind('@', end);
    if (host == std::string::npos || host < at) continue;
    const std::string login = text.substr(at, host - at);
    const auto has = [&](const char* colon) { return login.find(colon) != std::string::npos; };
    if (has(":") || has("%3A") || has("%3a")) text.replace(at, host - at, "...");
  }
  return text;
}

}  // namespace

void say(std::string_view sentence) {
  std::string text = "tuner: ";
  for (const char c : without_passwords(sentence)) {
    // A line that begins in the first column is one of ours: what a sentence quotes must not look like one.
    if (text.back() == '\n' && c != ' ') text += "  ";
    text += c;
  }
  write(text + "\n", stderr);
}

void warn(const std::string& sentence) {
  say("warning: " + sentence);
}

void print(std::string_view text) {
  write(text, stdout);
}

void print_file(std::string_view text) {
  if (isatty(STDOUT_FILENO) == 1)
    print(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

std::size_t output_width() {
  constexpr std::size_t kNarrowest = 40;
  if (isatty(STDOUT_FILENO) != 1) return kUnwrapped;
  struct winsize size {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kReportWidth;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kReportWidth);
}

std::string labelled(std::string_view label, std::string_view text) {
  return tuner::labelled(label, text, output_width());
}

std::string count_binaries(std::uint64_t number) {
  return grouped(number) + (number == 1 ? " binary" : " binaries");
}

std::string in_command(const std::filesystem::path& path) {
  const std::string text = path.string();
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  const bool is_plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos;
  return is_plain ? text : shell_word(text);
}

}  // namespace tuner::cli

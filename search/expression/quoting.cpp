#include "search/expression/quoting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tuner::search {
namespace {

constexpr std::size_t kQuotation = 200;
constexpr std::string_view kHexDigits = "0123456789abcdef";

struct Escape {
  char letter;
  char meaning;
};
constexpr std::array<Escape, 6> kEscapes{
    {{'\\', '\\'}, {'"', '"'}, {'\'', '\''}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}}};

int hex_digit(char c) {
  if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  const std::size_t position = kHexDigits.find(c);
  return position == std::string_view::npos ? -1 : static_cast<int>(position);
}

std::string in_one_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool ends_line = c == '\n' || c == '\r';
    result += ends_line ? (c == '\n' ? "\\x0a" : "\\x0d") : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const auto escape = std::ranges::find(kEscapes, c, &Escape::meaning);
    if (escape != kEscapes.end() && c != '\'') {
      result += {'\\', escape->letter};
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::optional<std::string> unescape(std::string_view body, char quote) {
  std::string result;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == quote) return std::nullopt;
    if (body[i] != '\\') {
      result += body[i];
      continue;
    }
    if (++i == body.size()) return std::nullopt;
    if (body[i] == 'x') {
      if (i + 2 >= body.size()) return std::nullopt;
      const int high = hex_digit(body[i + 1]);
      const int low = hex_digit(body[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      result += static_cast<char>(high * 16 + low);
      i += 2;
      continue;
    }
    const auto escape = std::ranges::find(kEscapes, body[i], &Escape::letter);
    if (escape == kEscapes.end()) return std::nullopt;
    result += escape->meaning;
  }
  return result;
}

std::string_view beginning_of(std::string_view text, std::size_t most) {
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80; };
  std::size_t end = std::min(most, text.size());
  for (int back = 0; back < 3 && end > 0 && end < text.size() && continues(end); ++back) --end;
  return text.substr(0, end);
}

std::string shortened(std::string_view text) {
  return text.size() > kQuotation ? std::string(beginning_of(text, kQuotation)) + "..." : std::string(text);
}

std::string with_short_quotations(std::string_view complaint) {
  constexpr std::size_t kAll = 2000;
  std::string result;
  while (true) {
    const std::size_t open = complaint.find('`');
    const std::size_t close = open == std::string_view::npos ? open : complaint.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view quoted = complaint.substr(open + 1, close - open - 1);
    result += complaint.substr(0, open + 1);
    result += shortened(quoted);
    result += '`';
    complaint.remove_prefix(close + 1);
  }
  result += complaint;
  result = in_one_line(result);
  if (result.size() <= kAll) return result;
  // Something long is not in backquotes, or has some in it. What stands at the end says what to do.
  const std::string_view all = result;
  const std::size_t end = all.size() - kQuotation;
  return fmt::format("{} ... {}", beginning_of(all, kQuotation), all.substr(beginning_of(all, end).size()));
}

}  // namespace tuner::search

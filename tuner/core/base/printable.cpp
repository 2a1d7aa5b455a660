#include "tuner/core/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "search/expression/quoting.hpp"

namespace tuner {

namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: the text does not begin with a character of UTF-8
};

/// The first character of a text that is not empty.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) return {};
    code = (code << 6U) | (byte & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {code, bytes};
}

/// Characters that are instructions, or seen by nobody.
bool steers(char32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  if (code < 0x61c) return code == 0xad || code == 0x34f;        // soft hyphen, joiner of graphemes
  return code == 0x61c || (code >= 0x180b && code <= 0x180f) ||  // Arabic letter mark; Mongolian variants, separator
         code == 0x115f || code == 0x1160 || code == 0x3164 || code == 0xffa0 ||  // Hangul's fillers
         code == 0x17b4 || code == 0x17b5 ||                                      // Khmer vowels that nobody writes
         (code >= 0x1bca0 && code <= 0x1bca3) || (code >= 0x1d173 && code <= 0x1d17a) ||  // shorthand and music
         (code >= 0x200b && code <= 0x200f) ||  // without width; direction of what follows
         (code >= 0x2028 && code <= 0x202e) ||  // separators of lines and paragraphs; embeddings, overrides
         (code >= 0x2060 && code <= 0x206f) ||  // joiners, isolates, deprecated formats
         code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||  // byte order mark; annotations
         (code >= 0xe0000 && code <= 0xe0fff);                    // tags and variants
}

bool is_blank(char32_t code) {
  return code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}

/// Chooses how the character before it looks.
bool is_variant(char32_t code) {
  return code >= 0xfe00 && code <= 0xfe0f;
}

/// Joins the characters around it into one emoji, or keeps two letters of Persian or of an Indic script apart: part of
/// a word, where it stands within one. Hides where it has nothing to choose.
bool is_within_word(char32_t before, char32_t code, char32_t after) {
  const auto is_of_word = [](char32_t c) { return c >= 0x80 && !steers(c) && !is_blank(c); };
  if (is_variant(code)) return is_of_word(before) && !is_variant(before);
  return (code == 0x200c || code == 0x200d) && (is_of_word(before) || is_variant(before)) && is_of_word(after);
}

enum class Lines { kept, escaped };

std::string escaped(std::string_view text, Lines lines) {
  std::string result;
  result.reserve(text.size());
  char32_t before = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    const std::string_view rest = text.substr(bytes);
    const char32_t after = rest.empty() ? 0 : first_character(rest).code;
    const bool is_layout = lines == Lines::kept && (next.code == U'\n' || next.code == U'\t');
    const bool is_shown =
        (!steers(next.code) && !is_variant(next.code)) || is_layout || is_within_word(before, next.code, after);
    if (next.bytes == 0 || !is_shown) {
      for (const char c : text.substr(0, bytes)) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += text.substr(0, bytes);
    }
    before = next.code;
    text = rest;
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, Lines::kept);
}

std::string one_line(std::string_view text, std::size_t most) {
  if (text.size() <= most) return escaped(text, Lines::escaped);
  return escaped(search::beginning_of(text, most), Lines::escaped) + fmt::format("... ({} bytes)", text.size());
}

std::string printable_json(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    if (!steers(next.code) || next.bytes == 0 || next.code == U'\n') {
      result += text.substr(0, bytes);
    } else if (next.code > 0xffff) {
      const auto beyond = static_cast<std::uint32_t>(next.code - 0x10000);
      result += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (beyond >> 10U), 0xdc00 + (beyond & 0x3ffU));
    } else {
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(next.code));
    }
    text.remove_prefix(bytes);
  }
  return result;
}

std::string comment_line(std::string_view indent, std::string_view text) {
  std::string line = fmt::format("{}// {}", indent, one_line(text));
  // A backslash, with blanks behind it, too, or the trigraph that stands for one, would go on in the next line.
  const std::size_t last = line.find_last_not_of(' ');
  if (line[last] == '\\' || line[last] == '/') line += '.';
  return line + '\n';
}

}  // namespace tuner

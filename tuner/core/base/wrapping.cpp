#include "tuner/core/base/wrapping.hpp"

#include <algorithm>
#include <cctype>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"

namespace tuner {

namespace {

// Control characters, which no text for a terminal has.
constexpr char kBegin = '\x02';
constexpr char kEnd = '\x03';

/// What stands on one line, and whether the piece before it touches it.
struct Piece {
  std::string text;
  bool touches = false;
};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

/// Where the quotation that begins at `at` ends, or only its first character if it begins none: `'` is an apostrophe,
/// too.
std::size_t end_of_quotation(std::string_view line, std::size_t at) {
  const char quote = line[at];
  if (at > 0 && is_letter(line[at - 1])) return at + 1;
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\' && quote == '"') {
      ++i;
    } else if (line[i] == quote && (i + 1 == line.size() || !is_letter(line[i + 1]))) {
      return i + 1;
    }
  }
  return at + 1;
}

/// The end of what is not broken from `at` on: one character or more.
std::size_t end_of_span(std::string_view line, std::size_t at) {
  const char c = line[at];
  if (c == '"' || c == '\'') return end_of_quotation(line, at);
  if (c != '`' && c != kBegin) return at + 1;
  const std::size_t end = line.find(c == '`' ? '`' : kEnd, at + 1);
  return end == std::string_view::npos ? at + 1 : end + 1;
}

bool is_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != 0 && equals != std::string_view::npos &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_letter);
}

/// `unit` in one piece, or a list of assignments that does not fit into a line in one piece each.
void add_pieces(std::vector<Piece>& pieces, std::string_view unit, std::size_t width) {
  const std::string whole = unmarked(unit);
  const std::vector<std::string> parts = split_assignments(whole);
  if (columns_of(whole) <= width || whole.size() != unit.size() ||
      !std::all_of(parts.begin(), parts.end(), is_assignment)) {
    pieces.push_back({whole});
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    pieces.push_back({parts[i] + (i + 1 < parts.size() || whole.back() == ',' ? "," : ""), i > 0});
  }
}

std::vector<Piece> pieces_of(std::string_view line, std::size_t width) {
  std::vector<Piece> pieces;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size(); at = line.find_first_not_of(' ', at)) {
    const std::size_t begin = at;
    while (at < line.size() && line[at] != ' ') at = end_of_span(line, at);
    add_pieces(pieces, line.substr(begin, at - begin), width);
  }
  return pieces;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string unbroken(std::string_view text) {
  return kBegin + one_line(text) + kEnd;
}

bool is_unbroken(std::string_view text) {
  if (text.size() < 2 || text.front() != kBegin || text.back() != kEnd) return false;
  const std::string_view inside = text.substr(1, text.size() - 2);
  return one_line(inside) == inside;
}

std::string unmarked(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == kBegin || c == kEnd; });
  return result;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = unmarked(text.substr(0, end));
    if (columns_of(line) > width) {
      line.clear();
      for (const Piece& piece : pieces_of(text.substr(0, end), width)) {
        const std::string_view between = line.empty() || piece.touches ? "" : " ";
        if (!line.empty() && columns_of(line) + between.size() + columns_of(piece.text) > width) {
          lines.push_back(std::move(line));
          line = piece.text;
        } else {
          line.append(between).append(piece.text);
        }
      }
    }
    if (!line.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

}  // namespace tuner

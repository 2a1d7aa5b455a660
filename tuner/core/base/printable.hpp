#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tuner {

// Text that others control (databases, recordings, sources, names of files) passes here before it reaches a terminal, a
// sentence or a file that people read. The result is UTF-8, and passing it again changes nothing.

/// More bytes of one name, value or path are not shown.
inline constexpr std::size_t kLongestShown = 4096;

/// `text` with what could steer a terminal or hide from a reader written as its bytes, `\x1b` and the like: control
/// characters but tabs and line ends, marks without width or for the direction of writing, separators of lines that are
/// no line ends to other programs, and what is not UTF-8. The joiner and the non-joiner within a word or an emoji are
/// letters of it and stay.
std::string printable(std::string_view text);
/// The same as part of one line: tabs and line ends, too, and of what has more than `most` bytes only the beginning,
/// and how many there are.
std::string one_line(std::string_view text, std::size_t most = kLongestShown);
/// JSON that was printed without escapes, `text`, with these characters as `\u001b` and the like: the same JSON.
/// Everything in it must be UTF-8.
std::string printable_json(std::string_view text);

/// `text` as a line of C++ that is a comment, line end included: nothing in it ends the comment, or goes on in the next
/// line.
std::string comment_line(std::string_view indent, std::string_view text);

}  // namespace tuner

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// Columns a UTF-8 text takes, counting one for each code point.
std::size_t columns_of(std::string_view text);

/// The lines of `text`, each broken where it takes more than `width` columns: between units, and between the
/// assignments of a list `A=1,B=2` that is too long for a line. A unit is a word, what stands in quotes or backquotes
/// with what touches it, and what `unbroken` marked. One that is too long overflows. Empty lines are left out.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// `text`, a path for example, as `one_line` and marked as one word whatever is in it. Only for `labelled` and the last
/// column of a Table, which remove the marks.
std::string unbroken(std::string_view text);
/// Whether `text` is what `unbroken` made: a part of a line, between its marks.
bool is_unbroken(std::string_view text);
/// `text` without the marks of `unbroken`.
std::string unmarked(std::string_view text);

}  // namespace tuner

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner {

/// The text of one kernel file, for turning byte offsets into places and mistakes into messages. Refers to `text`,
/// which must outlive it.
class SourceText {
 public:
  SourceText(std::string file, std::string_view text);

  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  Place place(std::size_t offset) const;
  std::string_view line(int number) const;  ///< without its line end

  /// "FILE:LINE:COLUMN: sentence", the line, and a caret under the column.
  std::string message(const Place& where, const std::string& sentence) const;
  /// Throws it as Error{bad_description}.
  [[noreturn]] void fail(std::size_t offset, const std::string& sentence) const;

 private:
  std::string file_;
  std::string_view text_;
  std::vector<std::size_t> line_starts_;
};

/// A preprocessor line as the compiler sees it: lines joined at backslashes, comments turned into blanks. One
/// exception: between the brackets of a `#pragma tuner` line `//` divides, so a comment begins only outside them.
struct PreprocessorLine {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string text;                    ///< from `#` on, without the line end
  std::vector<std::uint32_t> offsets;  ///< where each byte of `text` stands in the source, and one more for its end
  std::size_t begin = 0;               ///< of the first physical line's `#`
  std::size_t end = 0;                 ///< before the line end of the last physical line
  std::size_t open_comment = kNone;    ///< of a block comment that does not end on the line it begins on
};

/// The `#pragma` and `#include` lines of a C++ source, in order. What looks like one inside a comment, a string or a
/// raw string is none. Reads any text without failing.
std::vector<PreprocessorLine> preprocessor_lines(std::string_view source);

/// Those of a source, in order, also those that NVRTC skips.
std::vector<CodeText::Include> all_includes(std::string_view source);

/// Blanks a byte order mark: a compiler takes it at the start of a file only, and what is compiled has other text in
/// front.
void blank_mark(std::string& text);

/// Where the directives of a `#pragma tuner` line begin in its text; npos if it is another line. `pragma_name` becomes
/// the word after `#pragma`, empty if the line is no pragma.
std::size_t find_directives(std::string_view line, std::string_view& pragma_name);

}  // namespace tuner

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// What a compiler would read of a source, as far as its text shows without being preprocessed.
struct CodeText {
  struct Macro {
    std::string name;
    std::string body;  ///< with the parameters in front, where it has some
  };
  struct Include {
    std::string name;
    bool is_quoted = false;
  };
  /// A line `#if`, `#else`, `#endif` or the like, `#define` or `#undef`, with all lines that it goes on in: what
  /// changes how the text behind it is read.
  struct Directive {
    std::size_t begin = 0, end = 0;
    bool is_condition = false;
  };
  /// As long as the source, each byte at its place. Comments, literals, preprocessor lines and what NVRTC surely skips,
  /// as between `#if 0` or `#ifndef __CUDACC_RTC__` and its end, are blank; of preprocessor lines the `#` stays.
  std::string code;
  std::vector<Macro> macros;  ///< that it defines
  std::vector<Include> includes;
  std::vector<Directive> directives;  ///< but for what NVRTC surely skips
  bool computes_includes = false;     ///< `#include MACRO`
};

/// What the preprocessor line, from its `#` on, includes; nothing where it names nothing.
std::optional<CodeText::Include> include_of(std::string_view line);

/// Reads any text without failing.
CodeText read_code(std::string_view source);

/// What brackets hold: an expression has no semicolon, so none is looked for behind one.
enum class Between { expression, statements };
/// Behind the bracket of `code` that closes the one at `open`; npos if there is none. Of the arguments of templates
/// too: what else an angle may be, a comparison, ends with the brackets around it.
std::size_t skip_brackets(std::string_view code, std::size_t open, Between between = Between::expression);

/// Makes a part of a text blank. Lines stay where they are.
void blank_range(std::string& text, std::size_t begin, std::size_t end);

/// Length of the byte order mark that some editors put before UTF-8 text; 0 where there is none.
std::size_t mark_length(std::string_view text);

}  // namespace tuner

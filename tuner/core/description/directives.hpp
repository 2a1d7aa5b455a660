#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/source_text.hpp"

namespace tuner {

/// A piece of a directive line that knows where it stands. Refers to the DirectiveFile it came from.
class Span {
 public:
  Span(const SourceText& source, const PreprocessorLine& line, std::size_t begin, std::size_t end)
      : source_(&source), line_(&line), begin_(begin), end_(end) {}

  std::string_view text() const { return std::string_view(line_->text).substr(begin_, end_ - begin_); }
  std::string string() const { return std::string(text()); }
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }

  Span sub(std::size_t begin, std::size_t count = std::string_view::npos) const;
  Span trimmed() const;
  /// Position of the first `wanted` outside brackets and quotes, or npos.
  std::size_t find(char wanted, std::size_t from = 0) const;
  /// The parts between `separator`s outside brackets and quotes, trimmed. Blank text gives no part at all.
  std::vector<Span> split(char separator) const;

  Place place() const { return source_->place(line_->offsets[begin_]); }
  [[noreturn]] void fail(const std::string& sentence, std::size_t offset = 0) const;

 private:
  const SourceText* source_;
  const PreprocessorLine* line_;
  std::size_t begin_;
  std::size_t end_;
};

/// `word(arguments)` or `word` of a `#pragma tuner` line.
struct Directive {
  Span word;
  std::optional<Span> arguments;  ///< between the parentheses, trimmed
};

/// The directives of one kernel file, in order. Neither copied nor moved: spans refer to it.
class DirectiveFile {
 public:
  /// Throws Error{bad_description} for a line that is not a list of `word` and `word(...)`. `text` must outlive this.
  DirectiveFile(std::string file, std::string_view text);
  DirectiveFile(const DirectiveFile&) = delete;
  DirectiveFile& operator=(const DirectiveFile&) = delete;

  const SourceText& source() const { return source_; }
  const std::vector<Directive>& directives() const { return directives_; }
  /// The text with every byte of the directive lines removed but their line ends.
  const std::string& blanked() const { return blanked_; }
  /// Whether it has host code (host_code.hpp), which is blank then, too.
  bool is_program() const { return is_program_; }
  /// Place of a `#pragma` whose first word is nearly `tuner`, for the message of a file without directives.
  const std::optional<Place>& near_miss() const { return near_miss_; }

 private:
  void read_line(const PreprocessorLine& line, std::size_t begin);

  SourceText source_;
  std::deque<PreprocessorLine> lines_;
  std::vector<Directive> directives_;
  std::string blanked_;
  bool is_program_ = false;
  std::optional<Place> near_miss_;
};

/// `source` without its directive lines, line ends included. Reads any text without failing.
std::string without_directives(std::string_view source);

/// Whether `text` is a C identifier.
bool is_identifier(std::string_view text);

}  // namespace tuner

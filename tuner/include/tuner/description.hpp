#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/api.hpp"
#include "tuner/header.hpp"

namespace tuner {

struct KernelDescription;

/// Where the text of an embedded kernel finds what it needs.
struct EmbeddedText {
  std::string name = "embedded.cu";  ///< of the text, for messages
  std::string kernel = {};           ///< which kernel, where the text describes several
  std::vector<Header> headers = {};  ///< what it includes with quotes
};

/// What is known of one tunable kernel before a problem and a GPU are given: its source and what the directives in it
/// say (docs/directives.md). A value that is cheap to copy; copies may be used from several threads.
/// Reading one touches nothing but the files named; nothing is compiled. The text is parsed when something has to know
/// what it says: `kernel`, `problem_properties`, or Runtime::kernel for a text from which nothing was served before.
/// Its mistakes are thrown there, as Error{bad_description} with file, line, column and the nearest known word.
class TUNER_API Description {
 public:
  /// Reads an annotated source file and the headers that it includes with quotes, from beside it or from
  /// `include_folders`; or a T1 description in JSON (docs/t1.md), which names its source. `kernel` picks one if several
  /// are described. The file may be a named pipe: waits up to ten seconds for a writer, then reads until the writer
  /// closes it. Throws Error{file_not_found}, and Error{bad_description} for T1, which is parsed here.
  static Description from_file(const std::filesystem::path& file, std::string_view kernel = {},
                               const std::vector<std::filesystem::path>& include_folders = {});

  /// The same from text that is part of the program.
  static Description from_text(std::string_view text, const EmbeddedText& embedded = {});

  const std::string& kernel() const;                    ///< the function's name
  std::vector<std::string> problem_properties() const;  ///< in declared order: the order of Kernel::request

  /// For the library's own use.
  struct Content;
  explicit Description(std::shared_ptr<const Content> content) noexcept : content_(std::move(content)) {}
  const std::shared_ptr<const Content>& content() const noexcept { return content_; }

 private:
  std::shared_ptr<const Content> content_;
};

}  // namespace tuner

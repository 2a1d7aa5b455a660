#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "tuner/ground/unique_handle.hpp"

namespace tuner {

/// A file of text that somebody named: a regular file or a pipe.
struct OpenText {
  UniqueHandle<int, close, -1> descriptor;
  std::size_t size = 0;    ///< as it says itself; 0 of a pipe
  bool is_written = true;  ///< false: no program wrote to this named pipe in time; if it reads as empty, none will
};
/// Opens it without waiting for ever: for a program to write to a named pipe, ten seconds. Reading then waits until the
/// writer closes it. `kind` is what sentences call it; `wanted` is what the user should name instead, "an annotated
/// CUDA source". Throws Error{file_not_found}.
OpenText open_text_file(const std::filesystem::path& file, std::string_view kind, std::string_view wanted);
/// Where one that is not written reads as empty.
[[noreturn]] void nobody_wrote_to(const std::filesystem::path& pipe, std::string_view kind);

/// The text of a kernel file: a regular file or a pipe, of 16 MiB at most. Waits up to ten seconds for a program to
/// open a named pipe for writing, then until it closes it. Throws Error{file_not_found}.
std::string read_kernel_file(const std::filesystem::path& file);
/// The same for another file of text; `kind` and `wanted` as above.
std::string read_text_file(const std::filesystem::path& file, std::string_view kind, std::string_view wanted);

}  // namespace tuner

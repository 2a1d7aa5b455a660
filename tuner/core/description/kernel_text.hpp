#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tuner {

/// The text of a kernel file: a regular file or a pipe, of 16 MiB at most. Waits up to ten seconds for a program to
/// open a named pipe for writing, then until it closes it. Throws Error{file_not_found}.
std::string read_kernel_file(const std::filesystem::path& file);
/// The same for another file of text. `kind` is what its sentences call it; `wanted` is what the user should name
/// instead, "an annotated CUDA source".
std::string read_text_file(const std::filesystem::path& file, std::string_view kind, std::string_view wanted);

}  // namespace tuner

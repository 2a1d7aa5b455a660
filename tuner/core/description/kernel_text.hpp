#pragma once

#include <filesystem>
#include <string>

namespace tuner {

/// The text of a kernel file: a regular file or a pipe, of 16 MiB at most. Waits up to ten seconds for a program to
/// open a named pipe for writing, then until it closes it. Throws Error{file_not_found}.
std::string read_kernel_file(const std::filesystem::path& file);

}  // namespace tuner

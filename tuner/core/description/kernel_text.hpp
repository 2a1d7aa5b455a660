#pragma once

#include <filesystem>
#include <string>

namespace tuner {

/// The text of a kernel file: a regular file or a pipe, of 16 MiB at most. Waits up to ten seconds for a program that
/// writes to a named pipe, and as long as that takes for its end. Throws Error{file_not_found}.
std::string read_kernel_file(const std::filesystem::path& file);

}  // namespace tuner

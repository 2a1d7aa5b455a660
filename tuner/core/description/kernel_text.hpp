#pragma once

#include <filesystem>
#include <string>

namespace tuner {

/// The text of a kernel file: a regular file or a pipe, of 16 MiB at most. Throws Error{file_not_found}.
std::string read_kernel_file(const std::filesystem::path& file);

}  // namespace tuner

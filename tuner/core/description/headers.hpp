#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// The headers that the source includes with quotes: given ones, and files found beside the file or in
/// `include_folders`, recursively, in order of first inclusion; then those of ours (standard_headers.hpp) that any of
/// them includes and the user has not: first those that are included whatever is defined, then those under a condition
/// that may not hold, at the end those that only <cuda_runtime.h> brings. Headers that are not found, or in a folder
/// that options of the description name, are left to the compiler.
std::vector<Header> quoted_headers(const KernelDescription& description,
                                   const std::vector<std::filesystem::path>& include_folders);

/// The same of a text that was not parsed.
std::vector<Header> quoted_headers(std::string_view text, const std::filesystem::path& file,
                                   const std::vector<Header>& given,
                                   const std::vector<std::filesystem::path>& include_folders);

/// The same as the compiler gets them: with host code blank where the source is a whole program, or they launch.
std::vector<Header> blank_host_code(std::vector<Header> headers, bool in_program);

}  // namespace tuner

#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// The headers that the source includes with quotes: given ones, and files found beside the file or in
/// `include_folders`, recursively, in order of first inclusion; then those of ours (standard_headers.hpp) that any of
/// them includes and the user has not: first those that are included whatever is defined. What follows is no part of
/// the kernel's identity (begins_uncounted): where the source or a header has host code, the user's headers that are
/// included with angle brackets, or found in a folder that options of the description name; then those of ours under a
/// condition that may not hold, and at the end those that only <cuda_runtime.h> brings. All others are left to the
/// compiler. Where one name has two files, one of them has another name, here and where it is included
/// (header_names.hpp, which says what is thrown).
std::vector<Header> quoted_headers(const KernelDescription& description,
                                   const std::vector<std::filesystem::path>& include_folders);

/// The same of a text that was not parsed.
std::vector<Header> quoted_headers(std::string_view text, const std::filesystem::path& file,
                                   const std::vector<Header>& given,
                                   const std::vector<std::filesystem::path>& include_folders);

/// Of a parsed source, with all that the compiler would find in `include_folders`: for where there are no folders.
std::vector<Header> all_headers(const KernelDescription& description,
                                const std::vector<std::filesystem::path>& include_folders);

/// The same as the compiler gets them: with host code blank where they launch or have a `main`, or where the source is
/// a whole program; `program` is that source then, and empty otherwise. What says `#pragma once` is there once,
/// whatever it is called.
std::vector<Header> blank_host_code(std::vector<Header> headers, std::string_view program);

}  // namespace tuner

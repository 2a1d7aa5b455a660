#pragma once

#include <filesystem>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// The headers that the source includes with quotes: given ones, and files found beside the file or in
/// `include_folders`, recursively, in order of first inclusion. Headers that are not found are left to the compiler to
/// complain about.
std::vector<Header> quoted_headers(const KernelDescription& description,
                                   const std::vector<std::filesystem::path>& include_folders);

}  // namespace tuner

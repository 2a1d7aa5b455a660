#pragma once

#include <filesystem>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner::host {

/// The headers that are the user's: those of `headers` that are not standard, and what they and the kernel include with
/// angle brackets from `include_folders`, recursively. The C++ compiler has its own of the others, or the shim has.
/// Throws as quoted_headers.
std::vector<Header> own_headers(const KernelDescription& description, const std::vector<Header>& headers,
                                const std::vector<std::filesystem::path>& include_folders);

}  // namespace tuner::host

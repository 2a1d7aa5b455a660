#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// What is told of a file besides its descriptions: what in it could not be honoured.
using WarningSink = std::function<void(const std::string&)>;

/// Reads a kernel file: an annotated source, or a T1 description in JSON (docs/t1.md), which names its source. Throws
/// Error{file_not_found, bad_description}.
std::vector<KernelDescription> load_descriptions(const std::filesystem::path& file, const WarningSink& warn = {});

/// The same, and picks a kernel: the only one, or `kernel` if several are described. Throws Error{bad_description} that
/// lists the kernels there are and names the programs' option --kernel.
KernelDescription load_description(const std::filesystem::path& file, std::string_view kernel = {},
                                   const WarningSink& warn = {});

}  // namespace tuner

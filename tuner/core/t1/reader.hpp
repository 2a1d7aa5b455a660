#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// Whether a text is JSON rather than a CUDA source: it begins with a brace.
bool is_t1(std::string_view text);

/// A kernel that a T1 file describes, and what in the file could not be honoured.
struct T1Description {
  KernelDescription kernel;
  std::vector<std::string> warnings;  ///< sentences that name file and JSON path
};

/// Reads a T1 description (docs/t1.md), the JSON format that several tuners share, and the kernel's source, which it
/// names. `source` of the result is the kernel file's text with what the T1 file says as directives behind it, so that
/// it can be read like any other. Throws Error{bad_description, file_not_found} whose sentence begins with file and
/// JSON path.
T1Description read_t1(std::string_view text, const std::filesystem::path& file);

}  // namespace tuner

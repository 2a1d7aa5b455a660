#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// Reads every kernel described in `text`; `file` is used for messages and for finding quoted headers. Throws
/// Error{bad_description} naming file, line, column, the text and the nearest known word.
std::vector<KernelDescription> parse_descriptions(std::string_view text, const std::filesystem::path& file);

/// Of those that `file` describes the only one, or the one called `kernel` if that is not empty. Throws
/// Error{bad_description} that lists them, and says how one is chosen: `chosen_by` is the option, if there is one.
KernelDescription choose_description(std::vector<KernelDescription> descriptions, const std::filesystem::path& file,
                                     std::string_view kernel, std::string_view chosen_by = {});

}  // namespace tuner

#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// Reads every kernel described in `text`; `file` is used for messages and for finding quoted headers. Throws
/// Error{bad_description} naming file, line, column, the text and the nearest known word.
std::vector<KernelDescription> parse_descriptions(std::string_view text, const std::filesystem::path& file);

/// "scale<double> -DFACTOR=2 SIGN=1": the function's name with its template arguments, the options that are always
/// passed and the defines that are always the same.
/// No two kernels of a file have the same.
std::string full_name(const KernelDescription& description);

/// By what choose_description finds it among those of its file: as much of its full name as tells it from the others.
std::string chosen_name(const KernelDescription& description, const std::vector<KernelDescription>& of_file);

/// Of those that `file` describes the only one, or the one called `kernel`, which may be a full name, if that is not
/// empty. Throws Error{bad_description} that lists them, and says how one is chosen: `chosen_by` is the option, if
/// there is one.
KernelDescription choose_description(std::vector<KernelDescription> descriptions, const std::filesystem::path& file,
                                     std::string_view kernel, std::string_view chosen_by = {});

}  // namespace tuner
